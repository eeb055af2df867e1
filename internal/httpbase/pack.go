package httpbase

import (
	"bufio"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
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
	to  *gzip.Writer
	out *bufio.Writer // what to writes to
}

// over is where an answer's next bytes are written to. Compression begins with
// the first of them, if there are enough.
func (p *packing) over(a *Answer) io.Writer {
	if a.packs && p.to == nil && !a.to.begun && len(a.Buf) >= packFrom {
		a.to.header.Set("Content-Encoding", "gzip")
		p.out = bufio.NewWriterSize(&a.to, Piece)
		p.to = packers.Get().(*gzip.Writer)
		p.to.Reset(p.out)
	}
	if p.to == nil {
		return &a.to
	}
	return p.to
}

// close writes what is still held back.
func (p *packing) close() error {
	if p.to == nil {
		return nil
	}
	if err := p.to.Close(); err != nil {
		return err
	}
	return p.out.Flush()
}

func (p *packing) release() {
	if p.to != nil {
		p.to.Reset(io.Discard) // it holds on to nothing of this answer
		packers.Put(p.to)
	}
}

// packers compress at the quickest level: a month of readings shrinks to a
// twentieth all the same.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is constant
	}
	return w
}}
