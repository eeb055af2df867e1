package picture

import (
	"bytes"
	"image"
	"io"
)

// fileInfo holds what the headers of a file say, before any pixel is decoded.
type fileInfo struct {
	width, height int // as stored, in pixels
	cost          int // bytes of memory per pixel that decoding takes
	orientation   orientation
	decode        func(io.Reader) (image.Image, error)
}

// inspect walks through a file from its first byte to its last. It accepts only a single, complete
// still picture in a supported format, with nothing else in the file.
func inspect(file []byte) (*fileInfo, error) {
	var f *fileInfo
	var err error
	switch {
	case bytes.HasPrefix(file, []byte("\xFF\xD8\xFF")):
		f, err = inspectJPEG(file)
	case bytes.HasPrefix(file, []byte(pngSignature)):
		f, err = inspectPNG(file)
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		f, err = inspectWebP(file)
	default:
		return nil, unsupportedFormat()
	}
	if err != nil {
		return nil, err
	}
	if containsMarkup(file) {
		return nil, broken()
	}
	return f, nil
}

// markup lists texts that a file must not contain, because another program could take it for a
// page. The texts would not survive the decoding, but a file with them is no honest picture.
var markup = []string{"<script", "<html", "<iframe", "<!doctype", "<?php"}

func containsMarkup(file []byte) bool {
	for rest := file; ; {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			return false
		}
		rest = rest[at:]
		for _, m := range markup {
			if len(rest) >= len(m) && bytes.EqualFold(rest[:len(m)], []byte(m)) {
				return true
			}
		}
		rest = rest[1:]
	}
}
