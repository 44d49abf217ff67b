package archtest

import "strings"

// row says what of the module a package may import.
type row struct {
	name    string // path within the module; "palate" is the root
	imports []string
}

// table is that of docs/architecture.md.
func table() []row {
	r := func(name, imports string) row { return row{name, strings.Fields(imports)} }
	return []row{
		r("palate", ""),
		r("internal/atomicfile", ""),
		r("internal/npy", ""),
		r("internal/simd", ""),
		r("internal/num", "internal/simd"),
		r("internal/trial", "palate internal/num"),
		r("internal/cli", "internal/atomicfile"),
		r("metric", ""),
		r("internal/wording", ""),
		r("ingest", "palate internal/npy internal/wording"),
		r("feature", "palate internal/wording internal/simd ingest"),
		r("check", "palate internal/wording ingest feature"),
		r("kernel", "internal/num internal/simd"),
		r("likelihood", "internal/num internal/simd"),
		r("gp", "internal/num internal/simd kernel"),
		r("infer", "internal/num internal/simd gp likelihood"),
		r("drift", "internal/num internal/simd likelihood gp infer"),
		r("population", "palate internal/atomicfile internal/num internal/simd kernel likelihood gp infer"),
		r("crowd", "palate internal/num internal/simd kernel likelihood gp infer population"),
		r("rating", "internal/num likelihood gp"),
		r("model", "palate internal/atomicfile internal/num internal/simd internal/trial internal/npy kernel likelihood gp infer drift population crowd rating"),
		r("active", "palate model"),
		r("tune", "palate internal/num internal/simd kernel likelihood gp infer"),
		r("evaluate", "palate internal/num internal/trial metric kernel model"),
		r("agree", "palate internal/num metric kernel model"),
		r("judging", "palate internal/num model"),
		r("compare", "palate internal/num metric kernel model"),
		r("survey", "palate internal/num model active"),
		r("explain", "palate internal/num internal/simd feature kernel model evaluate"),
		r("internal/draw", ""),
		r("internal/phrases", ""),
		r("report", "palate metric internal/draw internal/phrases model tune evaluate agree judging compare survey explain"),
		r("store", "palate"),
		r("store/internal/relational", "palate store"),
		r("store/sqlite", "internal/atomicfile store store/internal/relational"),
		r("store/postgres", "store store/internal/relational"),
		r("store/storetest", "palate store"),
		r("server", "palate internal/wording metric ingest feature model active tune evaluate agree report store"),
		r("server/web", "palate tune store server"),
		r("server/ui", "palate internal/phrases metric ingest model tune report store server server/web"),
		r("cmd/palate", "palate internal/atomicfile internal/wording internal/cli metric ingest feature check kernel likelihood infer model active tune evaluate agree judging compare survey explain report store store/sqlite store/postgres server server/web server/ui"),
		r("internal/cli/clitest", ""),
		r("lab/internal/published", "internal/num internal/simd kernel likelihood gp infer"),
		r("lab/internal/collab", "palate internal/num internal/simd kernel likelihood infer population"),
		r("lab/internal/worlds", "palate internal/num kernel model active"),
		r("lab/internal/asking", "palate internal/num metric model active"),
		r("lab/internal/tuning", "tune"),
		r("lab/internal/paper", "palate internal/atomicfile internal/wording internal/num internal/draw metric ingest feature check kernel likelihood gp infer population crowd model active tune evaluate compare survey explain report lab/internal/published lab/internal/collab lab/internal/worlds lab/internal/asking lab/internal/tuning"),
		r("lab/internal/bench", "palate internal/simd ingest kernel likelihood gp infer population model"),
		r("lab/internal/pictures", "palate feature explain model evaluate judging compare report tune"),
		r("lab", "internal/atomicfile internal/cli active lab/internal/paper lab/internal/bench lab/internal/pictures"),
		r("internal/testdb", "store store/sqlite store/postgres"),
		r("internal/release", ""),
		r("internal/archtest", ""),
		r("internal/doctest", ""),
		r("internal/browser", ""),
		r("internal/declared", ""),
		r("internal/heed", "internal/declared"),
	}
}

// nevers are the promises that no change of the table may break.
func nevers() map[string]string {
	return map[string]string{
		"store":  "model", // snapshots of models are bytes to it
		"server": "infer gp kernel",
		"active": "internal/num internal/simd kernel likelihood gp infer population metric ingest report store",
		"report": "infer gp kernel",
		"metric": "palate model",
	}
}
