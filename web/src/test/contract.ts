import { readFileSync } from 'node:fs';

/** A call of the console, as the contract has it. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** `form` sends files, `file` answers one, `lines` a line after the other, `bare` an envelope of its own; `stream` goes on answering. */
  kind: 'json' | 'form' | 'lines' | 'file' | 'bare' | 'stream';
}

const kinds = [
  ['form', 'multipart/form-data:'],
  ['lines', 'application/x-ndjson:'],
  ['file', 'format: binary'],
  ['bare', 'schemas/CaptchaAnswer"'],
  ['stream', 'text/event-stream:'],
] as const;

/** Every call of the console, read from the contract itself: a new one is among them once it is written there. */
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

/** What stands below each heading, up to the next line as far to the left. */
function sectionsOf(text: string, heading: RegExp, end: RegExp): [name: string, text: string][] {
  return [...text.matchAll(heading)].map((found) => {
    const below = text.slice(found.index + found[0].length);
    const at = below.search(end);
    return [found[1] ?? '', at < 0 ? below : below.slice(0, at)];
  });
}
