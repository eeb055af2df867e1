import { readFileSync } from 'node:fs';

/** A call of the console in the contract. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /**
   * `form` sends files, `file` returns one, `lines` returns newline-delimited JSON, `bare` an
   * envelope of its own; `stream` does not end.
   */
  kind: 'json' | 'form' | 'lines' | 'file' | 'bare' | 'stream';
}

const kinds = [
  ['form', 'multipart/form-data:'],
  ['lines', 'application/x-ndjson:'],
  ['file', 'format: binary'],
  ['bare', 'schemas/CaptchaAnswer"'],
  ['stream', 'text/event-stream:'],
] as const;

/** Every call of the console, read from the contract, so that new ones are included. */
export function consoleCalls(): Call[] {
  const contract = readFileSync('../api/openapi.yaml', 'utf8');
  return sectionsOf(contract, /^ {2}(\/(?:admin-api|app-api)\/\S+):\n/gm, /^(?: {2})?\S/m).flatMap(
    ([path, operations]) =>
      sectionsOf(operations, /^ {4}(get|post|put|delete):\n/gm, /^ {4}\S/m).map(([method, words]) => ({
        method: method.toUpperCase() as Call['method'],
        path,
        kind: kinds.find(([, mark]) => words.includes(mark))?.[0] ?? 'json',
      })),
  );
}

/** Every kind of change that the contract knows, in its order. */
export function changeKinds(): string[] {
  const contract = readFileSync('../api/openapi.yaml', 'utf8');
  const [[, schema = ''] = []] = sectionsOf(contract, /^ {4}(LiveChangeOf):\n/gm, /^ {4}\S/m);
  const names = /^ {6}enum: \[([a-z, ]+)\]$/m.exec(schema)?.[1];
  if (names === undefined) throw new Error('the contract lists no kinds of changes');
  return names.split(', ');
}

/** The text below each heading, up to the next line with the same indentation. */
function sectionsOf(text: string, heading: RegExp, end: RegExp): [name: string, text: string][] {
  return [...text.matchAll(heading)].map((found) => {
    const below = text.slice(found.index + found[0].length);
    const at = below.search(end);
    return [found[1] ?? '', at < 0 ? below : below.slice(0, at)];
  });
}
