package httpbase

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/platform/limit"
)

// BodyTimeout is how long the body of a call may take to arrive.
const BodyTimeout = 10 * time.Second

const (
	// maxBodyExtension is the contract's extension with the size limit of an operation's body, in bytes.
	maxBodyExtension = "x-max-body"
	defaultMaxBody   = 16 << 10

	// largeBody is the size in bytes from which on bodies are decoded in turn. To decode a body and
	// to check it against the contract takes up to 35 times its size.
	largeBody = 4 << 10
	// decodesPerTenant is how many large bodies of one tenant are decoded at once.
	decodesPerTenant = 2
	maxWaiting       = 1000 // of a tenant; what they hold is bounded by their bytes
)

// The bytes of bodies that may be held at once: a 32nd of the memory limit, within these bounds.
const (
	bodyShare    = 32
	minBodyBytes = 8 << 20
	maxBodyBytes = 64 << 20
)

// BodyRetry is when a client may try again whose body was refused.
const BodyRetry = 2 * time.Second

// ErrBodiesFull says that there is no room for a body at the moment.
var ErrBodiesFull = errors.New("too many bytes of bodies are held")

// Sender sends bodies.
type Sender struct {
	Tenant  int64
	Member  int64         // a user of the tenant, or a device
	Network limit.Network // of a sender that has not signed in, whose Tenant and Member are 0
}

// MaxBody returns the size limit of an operation's body, in bytes.
func MaxBody(o *openapi3.Operation) int64 {
	if n, ok := o.Extensions[maxBodyExtension].(float64); ok {
		return int64(n)
	}
	return defaultMaxBody
}

// senderGroup shares the bytes: a tenant, or a network that has not signed in.
type senderGroup struct {
	tenant  int64
	network limit.Network
}

func (s Sender) group() senderGroup { return senderGroup{s.Tenant, s.Network} }

// Bodies bounds the memory that the bodies of requests take: by the bytes that are held, from
// before they are read until the request is answered, and by decoding large ones in turn. The
// kernel kills a process that uses too much memory, and the gauge sees a body only once it is there.
type Bodies struct {
	held     *limit.Bytes[senderGroup, int64]
	decoding *limit.Scheduler[int64, int64]
	timeout  time.Duration
}

// NewBodies makes the bound of one edge. memory is the process's memory limit in bytes, 0 without
// one; name begins the names of the edge's limits in the metrics.
func NewBodies(name string, memory uint64, meter *limit.Meter) *Bodies {
	bytesInAll := int64(maxBodyBytes)
	if memory > 0 {
		bytesInAll = int64(min(max(memory/bodyShare, minBodyBytes), maxBodyBytes))
	}
	return &Bodies{
		held: limit.NewBytes[senderGroup, int64](limit.Options{Name: name + "_bodies", Meter: meter}, bytesInAll),
		decoding: limit.NewScheduler[int64, int64](
			limit.Options{Name: name + "_decodes", Meter: meter},
			limit.SchedulerOptions{
				MaxRunning:             max(1, runtime.GOMAXPROCS(0)/2),
				MaxRunningPerKey:       decodesPerTenant,
				MaxRunningPerSubmitter: decodesPerTenant,
				MaxWaitingPerKey:       maxWaiting,
				MaxWaitingPerSubmitter: maxWaiting,
			},
		),
		timeout: BodyTimeout,
	}
}

// Receive reads the whole body of a request, once there is room for the size that it announces; for
// maxBytes if it announces none. release gives the room back after the request is served; it is
// never nil. The error is ErrBodiesFull if there is no room, an *http.MaxBytesError, or that of
// reading: os.ErrDeadlineExceeded if the body takes longer than BodyTimeout.
func (b *Bodies) Receive(
	w http.ResponseWriter,
	r *http.Request,
	from Sender,
	maxBytes int64,
) (body []byte, release func(), err error) {
	nothing := func() {}
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, nothing, nil
	}
	// Also for a body that is refused: the server reads some of it to keep the connection.
	if err := (BodyLimits{Bytes: maxBytes, ReadTimeout: b.timeout}).Apply(w, r); err != nil {
		return nil, nothing, err
	}
	size := r.ContentLength
	switch {
	case size > maxBytes:
		return nil, nothing, &http.MaxBytesError{Limit: maxBytes}
	case size < 0:
		size = maxBytes
	}
	if !b.held.Take(from.group(), from.Member, size) {
		return nil, nothing, ErrBodiesFull
	}
	release = func() { b.held.Return(from.group(), from.Member, size) }
	buffer := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, 0)+bytes.MinRead))
	if _, err := buffer.ReadFrom(r.Body); err != nil {
		return buffer.Bytes(), release, err
	}
	// The deadline would end the request, not only its body, if answering takes longer.
	err = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if errors.Is(err, http.ErrNotSupported) {
		err = nil
	}
	return buffer.Bytes(), release, err
}

// Decode calls f, which decodes a body; if the body is large, when the tenant has a turn. The error
// is that of f, ErrBodiesFull if too many wait already, or ctx's.
func (b *Bodies) Decode(ctx context.Context, from Sender, body []byte, f func() error) error {
	if len(body) <= largeBody {
		return f()
	}
	return b.inTurn(ctx, from, f)
}

// inTurn calls f when the tenant has a turn. Its error is that of Decode.
func (b *Bodies) inTurn(ctx context.Context, from Sender, f func() error) error {
	task, full := b.decoding.Enter(ctx, from.Tenant, from.Member)
	switch {
	case full != limit.NotFull:
		return ErrBodiesFull
	case task == nil:
		return ctx.Err()
	}
	defer task.Leave()
	return f()
}
