import { describe, expect, it } from 'vitest';
import { createEventStreamParser, type StreamEvent } from './eventStreamParser';

function parse(...pieces: string[]) {
  const frames: StreamEvent[] = [];
  const ids: string[] = [];
  const retries: number[] = [];
  const parser = createEventStreamParser({
    onEvent: (frame) => frames.push(frame),
    onId: (id) => ids.push(id),
    onRetry: (ms) => retries.push(ms),
  });
  for (const piece of pieces) parser.feed(piece);
  return { frames, ids, retries };
}

describe('the event stream parser', () => {
  it('reports name, data and id', () => {
    expect(parse('id: e1-7\nevent: reading\ndata: {"a":1}\n\n').frames).toEqual([
      { name: 'reading', data: '{"a":1}', id: 'e1-7' },
    ]);
  });

  it('names an event without a name `message`, whatever the one before', () => {
    const { frames } = parse('event: notice\ndata: 1\n\ndata: 2\n\n');
    expect(frames.map(({ name }) => name)).toEqual(['notice', 'message']);
  });

  it('keeps the id for the events that follow', () => {
    const { frames, ids } = parse('id: 5\ndata: a\n\ndata: b\n\nid\ndata: c\n\n');
    expect(frames.map(({ id }) => id)).toEqual(['5', '5', '']);
    expect(ids).toEqual(['5', '']);
  });

  it('accepts an id without an event', () => {
    expect(parse('id: e1-0\n\n')).toMatchObject({ frames: [], ids: ['e1-0'] });
  });

  it('ignores the id of an event that was cut off', () => {
    expect(parse('id: 1\ndata: a\n\nid: 2\ndata: b').ids).toEqual(['1']);
  });

  it('refuses an id with a null in it', () => {
    expect(parse('id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n').frames.at(-1)).toEqual({
      name: 'message',
      data: 'b',
      id: '1',
    });
  });

  it('joins the lines of data', () => {
    expect(parse('data: one\ndata: two\ndata:\ndata: four\n\n').frames[0]?.data).toBe('one\ntwo\n\nfour');
  });

  it('reports an event whose data is one empty line, and none without data', () => {
    expect(parse('data\n\n').frames).toEqual([{ name: 'message', data: '', id: '' }]);
    expect(parse('event: reading\n\n').frames).toEqual([]);
  });

  it('strips one space after the colon, not more', () => {
    expect(parse('data:x\n\ndata: x\n\ndata:  x\n\n').frames.map(({ data }) => data)).toEqual(['x', 'x', ' x']);
  });

  it('ignores comments and unknown fields', () => {
    expect(parse(': still here\n\nfoo: bar\ndata: 1\n:data: 2\n\n').frames).toEqual([
      { name: 'message', data: '1', id: '' },
    ]);
  });

  it('ignores one byte order mark, at the beginning only', () => {
    expect(parse('\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n').frames).toEqual([{ name: 'message', data: '1', id: '' }]);
  });

  it('reports the retry time if it is a number', () => {
    expect(parse('retry: 2500\nretry: soon\nretry: 1.5\nretry\n\n').retries).toEqual([2500]);
  });

  it.each(['\n', '\r\n', '\r'])('ends lines at %j', (end) => {
    const text = ['id: 1', 'data: a', 'data: b', '', 'data: c', '', ''].join(end);
    expect(parse(text).frames.map(({ data }) => data)).toEqual(['a\nb', 'c']);
  });

  it('treats a carriage return and a line feed as one line end when they arrive separately', () => {
    expect(parse('data: a\r', '\ndata: b\r', '', '\n\r', '\n').frames.map(({ data }) => data)).toEqual(['a\nb']);
  });
});

/** A small deterministic generator of numbers. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const samples = [
  'id: e-1\nevent: reading\ndata: {"deviceName":"Köşe · Теплица · 温室","time":1}\n\n',
  ': comment\r\n\r\nid: e-2\r\nevent: presence\r\ndata: one\r\ndata: two\r\n\r\n',
  'retry: 100\rdata\rdata: x\r\r',
  'event: reset\ndata: {}\n\nid: e-9\n\ndata:  y\n\n',
].join('');

describe('a stream cut anywhere gives the same events', () => {
  const whole = parse(samples);

  it('in every pair of pieces', () => {
    for (let at = 0; at <= samples.length; at++) {
      expect(parse(samples.slice(0, at), samples.slice(at)), `cut at ${at}`).toEqual(whole);
    }
  });

  it('in single characters', () => {
    expect(parse(...samples)).toEqual(whole);
  });

  it('in pieces of any size, as bytes of UTF-8', () => {
    const bytes = new TextEncoder().encode(samples);
    for (let seed = 1; seed <= 300; seed++) {
      const random = numbers(seed);
      const decoder = new TextDecoder();
      const pieces: string[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + random(seed % 3 === 0 ? 3 : 40);
        pieces.push(decoder.decode(bytes.slice(at, at + size), { stream: true }));
        at += size;
      }
      expect(parse(...pieces), `seed ${seed}`).toEqual(whole);
    }
  });
});
