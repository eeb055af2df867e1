package httpbase

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"tilth/internal/httpbase/deflate"
)

// packFrom is the length in bytes from which an answer is worth compressing:
// less fits into one packet of the network.
const packFrom = 1400

// wantsPacked tells whether a request's client takes compressed answers and is
// far enough away.
func wantsPacked(q *Request) bool {
	return q.Asked != nil && Accepts(q.Asked, "gzip") && !q.Address.IsLoopback()
}

// packing is the compression of a long answer; the zero one does nothing.
type packing struct {
	to *gzipped
}

// over is where an answer's next bytes are written to. Compression begins with
// the first of them, if there are enough.
func (p *packing) over(a *Answer) io.Writer {
	if a.packs && p.to == nil && !a.to.begun && len(a.Buf) >= packFrom {
		a.to.header.Set("Content-Encoding", "gzip")
		p.to = &gzipped{out: &a.to, packed: deflate.NewWriter(&a.to)}
	}
	if p.to == nil {
		return &a.to
	}
	return p.to
}

// close writes the end.
func (p *packing) close() error {
	if p.to == nil {
		return nil
	}
	return p.to.close()
}

// gzipped is a stream of gzip (RFC 1952) that holds nothing between its pieces: a
// month of readings shrinks to a twentieth all the same.
type gzipped struct {
	out    io.Writer
	packed *deflate.Writer
	begun  bool
	sum    uint32
	size   uint32 // modulo 2^32, as the format has it
}

// gzipHead says: deflate, no name, no time, of an unknown system.
var gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

func (g *gzipped) Write(b []byte) (int, error) {
	if !g.begun {
		g.begun = true
		if _, err := g.out.Write(gzipHead); err != nil {
			return 0, err
		}
	}
	g.sum = crc32.Update(g.sum, crc32.IEEETable, b)
	g.size += uint32(len(b))
	return g.packed.Write(b)
}

func (g *gzipped) close() error {
	if err := g.packed.Close(); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, g.sum)
	_, err := g.out.Write(binary.LittleEndian.AppendUint32(end, g.size))
	return err
}
