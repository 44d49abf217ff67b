package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// member is a file of an archive.
type member struct {
	name string // within the folder that the archive holds
	path string // where it is now
	mode fs.FileMode
}

// pack writes files into an archive at path, a zip or a packed tar, in a folder of the
// archive's name. They all have the given time, and no owner.
func pack(path string, zipped bool, files []member, when time.Time) error {
	folder := filepath.Base(path) + "/"
	suffix, write := ".tar.gz", writeTar
	if zipped {
		suffix, write = ".zip", writeZip
	}
	f, err := os.Create(path + suffix)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f, folder, files, when); err != nil {
		return err
	}
	return f.Close()
}

func writeTar(w io.Writer, folder string, files []member, when time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, m := range files {
		data, err := os.ReadFile(m.path)
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: folder + m.name, Mode: int64(m.mode), Size: int64(len(data)), ModTime: when, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := archive.Write(data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func writeZip(w io.Writer, folder string, files []member, when time.Time) error {
	archive := zip.NewWriter(w)
	for _, m := range files {
		data, err := os.ReadFile(m.path)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: folder + m.name, Method: zip.Deflate, Modified: when}
		header.SetMode(m.mode)
		f, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return archive.Close()
}
