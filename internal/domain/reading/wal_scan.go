package reading

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// Pebble's write-ahead log consists of blocks of 32 KiB. A batch lies in chunks, each within a block:
//
//	checksum 4 | length 2 | kind 1 | number of the log 4 | synced offset 8 | a piece of a batch
//
// Chunks of the earlier kind, with which a new folder begins, have no synced offset. The rest of a
// block into which no header fits is zero. A log that was closed ends with a trailer, the header of a
// chunk of the next number; a log in use ends anywhere, and what an earlier log left in the file may
// follow.
//
// Pebble tells damage from the torn end of a log by the synced offsets. Its writer (v2.1.7) leaves the
// full blocks out of them, so most damage looks like an end to it, and it drops all that follows. Hence
// this scan, which looks for what follows.
const (
	walBlock           = 32 << 10
	walTrailer         = 4 + 2 + 1 + 4
	walHeader          = walTrailer     // of the kinds from walOldFull on
	walSyncHeader      = walTrailer + 8 // of the kinds from walFull on
	walOldFull    byte = 5
	walFull       byte = 9
	walKinds           = 4 // full, first, middle, last
)

// walScan is what a write-ahead log holds.
type walScan struct {
	batches []walBatch // intact, in order
	gaps    []walGap
	closed  bool // the log ends with its trailer
}

// walBatch is a batch of the engine, in pieces that share the log's bytes.
type walBatch [][]byte

func (b walBatch) bytes() []byte {
	if len(b) == 1 {
		return b[0]
	}
	return bytes.Join(b, nil)
}

// walGap is a damaged stretch of a log.
type walGap struct {
	index    int    // number of intact batches before it
	from, to int64  // the damaged bytes of the file
	rest     []byte // the bytes of the batches that it hit, as far as they are there; unverified
}

// scanWAL reads a log with a number. It finds the intact chunks after a damaged one.
func scanWAL(data []byte, number uint32) *walScan {
	s := &walScanner{number: number, header: walSyncHeader}
	for base := 0; base < len(data); base += walBlock {
		if s.block(data[base:min(base+walBlock, len(data))], int64(base)) {
			break
		}
	}
	if s.open != nil { // its end is missing
		s.damage(int64(len(data)), int64(len(data)), nil)
	}
	s.endGap()
	return &s.walScan
}

type walScanner struct {
	walScan
	number uint32
	header int      // length of the headers of the log's chunks
	open   walBatch // the batch that is being read; nil between batches
	gap    *walGap  // no intact batch has followed yet
}

// block reads a block of the log. It returns true at the trailer of a log that is intact up to there.
func (s *walScanner) block(block []byte, base int64) (ended bool) {
	for at := 0; at < len(block); {
		rest := block[at:]
		if size := s.chunk(rest); size > 0 {
			s.add(rest[:size], base+int64(at))
			at += size
			continue
		}
		if len(rest) < walSyncHeader && isZero(rest) {
			return false
		}
		if s.isTrailer(rest) {
			s.closed = true
			if s.gap == nil && s.open == nil {
				return true
			}
		}
		next := at + s.resume(rest)
		s.damage(base+int64(at), base+int64(next), block[at:next])
		at = next
	}
	return false
}

// chunk returns the length of the intact chunk at the beginning of b; 0 if there is none.
func (s *walScanner) chunk(b []byte) int {
	size := s.claimed(b)
	if size == 0 || size > len(b) || walChecksum(b[6:size]) != binary.LittleEndian.Uint32(b) {
		return 0
	}
	return size
}

// claimed returns how long the chunk at the beginning of b is by its header; 0 if that is no header.
func (s *walScanner) claimed(b []byte) int {
	if len(b) < walHeader || binary.LittleEndian.Uint32(b[7:]) != s.number {
		return 0
	}
	header := walHeaderOf(b[6])
	if header == 0 || len(b) < header {
		return 0
	}
	return header + int(binary.LittleEndian.Uint16(b[4:]))
}

// walHeaderOf returns the length of the header of a kind of chunk; 0 if it is no kind.
func walHeaderOf(kind byte) int {
	switch {
	case kind >= walFull && kind < walFull+walKinds:
		return walSyncHeader
	case kind >= walOldFull && kind < walOldFull+walKinds:
		return walHeader
	}
	return 0
}

func (s *walScanner) isTrailer(b []byte) bool {
	return len(b) >= walTrailer && isZero(b[:6]) && b[6] == walOldFull &&
		binary.LittleEndian.Uint32(b[7:]) == s.number+1
}

// resume returns where in b, after its beginning, the next intact chunk or the trailer begins; the
// length of b if there is none.
func (s *walScanner) resume(b []byte) int {
	chunk := binary.LittleEndian.AppendUint32(nil, s.number)
	trailer := binary.LittleEndian.AppendUint32(nil, s.number+1)
	next := len(b)
	for _, number := range [][]byte{chunk, trailer} {
		for at := 1; at+walHeader <= next; at++ {
			skip := bytes.Index(b[at+7:next], number)
			if skip < 0 {
				break
			}
			at += skip
			if s.chunk(b[at:]) > 0 || s.isTrailer(b[at:]) {
				next = at
			}
		}
	}
	return next
}

// add takes an intact chunk.
func (s *walScanner) add(chunk []byte, at int64) {
	s.closed = false
	s.header = walHeaderOf(chunk[6])
	piece := chunk[s.header:]
	place := (chunk[6] - walOldFull) % walKinds
	begins, ends := place < 2, place == 0 || place == 3
	if begins && s.open != nil { // the end of the one before is missing
		s.damage(at, at, nil)
	}
	if !begins && s.open == nil { // its beginning is missing
		s.hit(at).rest = append(s.hit(at).rest, piece...)
		return
	}
	s.open = append(s.open, piece)
	if ends {
		s.endGap()
		s.batches = append(s.batches, s.open)
		s.open = nil
	}
}

// damage takes a stretch without an intact chunk. After the trailer anything may follow.
func (s *walScanner) damage(from, to int64, stretch []byte) {
	if s.closed && s.gap != nil && s.open == nil {
		return
	}
	g := s.hit(from)
	g.to = to
	for _, piece := range s.open {
		g.rest = append(g.rest, piece...)
	}
	s.open = nil
	for len(stretch) > 0 {
		piece, header := stretch, s.header
		if size := s.claimed(stretch); size > 0 && size <= len(stretch) {
			piece, header = stretch[:size], walHeaderOf(stretch[6])
		}
		g.rest = append(g.rest, piece[min(header, len(piece)):]...)
		stretch = stretch[len(piece):]
	}
}

// hit returns the gap that no intact batch has followed yet.
func (s *walScanner) hit(at int64) *walGap {
	if s.gap == nil {
		s.gap = &walGap{index: len(s.batches), from: at, to: at}
	}
	return s.gap
}

func (s *walScanner) endGap() {
	if s.gap != nil {
		s.gaps = append(s.gaps, *s.gap)
		s.gap = nil
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// walChecksum is the checksum of a chunk: CRC-32C, masked as LevelDB does.
func walChecksum(b []byte) uint32 {
	return bits.RotateLeft32(crc32.Checksum(b, castagnoli), 17) + 0xa282ead8
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
