import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '@/test/contract';
import { envelope, errorCases, expectedError, sendCall, shownErrors } from '@/test/errorCases';
import { onPost } from '@/test/server';
import { ApiError } from './http';

/** The rest of errorCatalogue.test.ts: calls that send files, which need a page. */
const calls = consoleCalls().filter(({ kind }) => kind === 'form');

describe.each(errorCases.map((row) => [row.answered, row] as const))(
  '%s is told once, as specified:',
  (answered, row) => {
    it.each(calls.map((call) => [call.path, call] as const))('%s', async (path, call) => {
      onPost(path, () => (answered === 'nothing' ? HttpResponse.error() : HttpResponse.json(envelope(answered))));
      expect(await sendCall(call)).toBeInstanceOf(ApiError);
      expect(shownErrors()).toEqual([expectedError(row)]);
    });
  },
);
