package httpbase

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"tilth/internal/edge/httpbase/deflate"
)

// minCompressSize is the length in bytes from which on an answer is compressed: a shorter one fits
// into one network packet.
const minCompressSize = 1400

// wantsGzip tells whether a request's client accepts compressed answers and is not on this machine.
func wantsGzip(q *Request) bool {
	return q.HTTPRequest != nil && Accepts(q.HTTPRequest, "gzip") && !q.Address.IsLoopback()
}

// lazyGzip compresses a long answer if that is worth it; the zero value does nothing.
type lazyGzip struct {
	gzip *gzipWriter
}

// writer returns the writer for an answer's next bytes. Compression begins with the first of them,
// if there are enough.
func (p *lazyGzip) writer(a *StreamWriter) io.Writer {
	if a.compress && p.gzip == nil && !a.conn.started && len(a.Buf) >= minCompressSize {
		a.conn.header.Set("Content-Encoding", "gzip")
		p.gzip = &gzipWriter{out: &a.conn, deflater: deflate.NewWriter(&a.conn)}
	}
	if p.gzip == nil {
		return &a.conn
	}
	return p.gzip
}

// close writes the end of the compressed stream.
func (p *lazyGzip) close() error {
	if p.gzip == nil {
		return nil
	}
	return p.gzip.close()
}

// gzipWriter is a stream of gzip (RFC 1952) that holds nothing between its pieces. A month of
// readings still shrinks to a twentieth.
type gzipWriter struct {
	out           io.Writer
	deflater      *deflate.Writer
	headerWritten bool
	crc           uint32
	size          uint32 // modulo 2^32, as the format has it
}

// gzipHeader says: deflate, no name, no time, unknown system.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

func (g *gzipWriter) Write(b []byte) (int, error) {
	if !g.headerWritten {
		g.headerWritten = true
		if _, err := g.out.Write(gzipHeader); err != nil {
			return 0, err
		}
	}
	g.crc = crc32.Update(g.crc, crc32.IEEETable, b)
	g.size += uint32(len(b))
	return g.deflater.Write(b)
}

func (g *gzipWriter) close() error {
	if err := g.deflater.Close(); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, g.crc)
	_, err := g.out.Write(binary.LittleEndian.AppendUint32(end, g.size))
	return err
}
