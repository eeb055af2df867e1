package httpbase

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"tilth/internal/edge/httpbase/deflate"
)

// minCompressSize is the length in bytes from which an answer is worth compressing:
// less fits into one packet of the network.
const minCompressSize = 1400

// wantsGzip tells whether a request's client takes compressed answers and is
// far enough away.
func wantsGzip(q *Request) bool {
	return q.HTTPRequest != nil && Accepts(q.HTTPRequest, "gzip") && !q.Address.IsLoopback()
}

// lazyGzip is the compression of a long answer; the zero one does nothing.
type lazyGzip struct {
	gzip *gzipWriter
}

// writer is where an answer's next bytes are written to. Compression begins with
// the first of them, if there are enough.
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

// close writes the end.
func (p *lazyGzip) close() error {
	if p.gzip == nil {
		return nil
	}
	return p.gzip.close()
}

// gzipWriter is a stream of gzip (RFC 1952) that holds nothing between its pieces: a
// month of readings shrinks to a twentieth all the same.
type gzipWriter struct {
	out           io.Writer
	deflater      *deflate.Writer
	headerWritten bool
	crc           uint32
	size          uint32 // modulo 2^32, as the format has it
}

// gzipHeader says: deflate, no name, no time, of an unknown system.
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
