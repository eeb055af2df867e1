import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { showError } from '@/lib/http/errorText';
import { ApiError } from '@/lib/http/http';
import { onceDue } from './onceDue';
import { checkPuzzle, fetchPuzzle, maxTravel, NoPuzzleError, type Puzzle } from './puzzle';

/**
 * `loading`: a picture is being fetched; `broken`: that failed; `checking`: the server checks the
 * solution; `ok` and `fail` are shown for a second.
 */
export type CaptchaPhase = 'loading' | 'broken' | 'idle' | 'dragging' | 'checking' | 'ok' | 'fail';

interface CaptchaState {
  phase: CaptchaPhase;
  puzzle: Puzzle | null;
  /** The position of the piece, in the puzzle's units. */
  x: number;
  /** For `ok`: the time that it took, and the verification for sign-in. */
  seconds: number;
  verification: string;
  /** For `broken` and `fail`: the error. */
  error: unknown;
}

const loading: CaptchaState = { phase: 'loading', puzzle: null, x: 0, seconds: 0, verification: '', error: null };
/** How long an outcome is shown, milliseconds. */
const outcomeMs = 1000;

/**
 * The captcha's own errors are shown only in its panel; general errors of a call are also shown as
 * everywhere else.
 */
function unexpectedError(error: unknown): unknown {
  if (error instanceof ApiError) showError(error);
  return error;
}

/**
 * The slider captcha without its presentation: idle, dragged or moved by keys, checked, and then
 * done or restarted.
 */
export function useCaptcha(onVerified: (captchaVerification: string) => void) {
  const [state, setState] = useState(loading);
  const { phase, puzzle, verification } = state;
  const call = useRef<AbortController | null>(null);
  const startedAt = useRef<number | null>(null);

  /** Runs one call at a time; the answer of an earlier one is ignored. */
  const runStep = useCallback(async (ask: (signal: AbortSignal) => Promise<(now: CaptchaState) => CaptchaState>) => {
    call.current?.abort();
    const controller = new AbortController();
    call.current = controller;
    const change = await ask(controller.signal);
    if (!controller.signal.aborted) setState(change);
  }, []);

  const refresh = useCallback(() => {
    startedAt.current = null;
    setState(loading);
    void runStep((signal) =>
      fetchPuzzle(signal).then(
        (next) => () => ({ ...loading, phase: 'idle', puzzle: next }),
        (error: unknown) => () => ({ ...loading, phase: 'broken', error: unexpectedError(error) }),
      ),
    );
  }, [runStep]);

  useEffect(() => {
    refresh();
    return () => call.current?.abort();
  }, [refresh]);

  const notifyVerified = useEffectEvent(onVerified);
  useEffect(() => {
    // If the picture becomes due while the piece is being dragged, it is replaced after the drag.
    if (phase === 'idle' && puzzle) return onceDue(puzzle.due, refresh);
    if (phase !== 'ok' && phase !== 'fail') return;
    const timer = setTimeout(phase === 'ok' ? () => notifyVerified(verification) : refresh, outcomeMs);
    return () => clearTimeout(timer);
  }, [phase, puzzle, verification, refresh]);

  const verify = (at: number) => {
    if (!puzzle) return;
    // The server reads whole numbers; two decimals keep the request short.
    const x = Math.round(clampTravel(at) * 100) / 100;
    const seconds = (Date.now() - (startedAt.current ?? Date.now())) / 1000;
    setState({ ...state, phase: 'checking', x });
    void runStep((signal) =>
      checkPuzzle(puzzle, x, signal).then(
        (passed) => (now) => ({ ...now, phase: 'ok', seconds, verification: passed }),
        (error: unknown) => (now) => ({ ...now, phase: 'fail', error: unexpectedError(error) }),
      ),
    );
  };

  return {
    state,
    refresh,
    /** The fetched pictures cannot be drawn. */
    reportBroken: () => setState({ ...loading, phase: 'broken', error: new NoPuzzleError() }),
    /** Grabs the piece; false if it cannot be moved now. */
    grasp: (): boolean => {
      if (phase !== 'idle') return false;
      startedAt.current = Date.now();
      setState({ ...state, phase: 'dragging' });
      return true;
    },
    drag: (x: number) => setState((now) => (now.phase === 'dragging' ? { ...now, x: clampTravel(x) } : now)),
    /** Releases the piece at `x` and checks it; a piece that has hardly moved goes back. */
    drop: (x: number) => {
      if (phase !== 'dragging') return;
      if (clampTravel(x) < 1) setState({ ...state, phase: 'idle', x: 0 });
      else verify(x);
    },
    /** The system or a gesture of the browser has cancelled the drag. */
    cancel: () => setState((now) => (now.phase === 'dragging' ? { ...now, phase: 'idle', x: 0 } : now)),
    /** Moves the piece by keyboard. */
    step: (by: number) => {
      if (phase !== 'idle') return;
      startedAt.current ??= Date.now();
      setState((now) => ({ ...now, x: clampTravel(Math.round(now.x) + by) }));
    },
    /** Checks the position to which keys have moved the piece. */
    enter: () => {
      if (phase === 'idle' && state.x > 0) verify(state.x);
    },
  };
}

function clampTravel(x: number): number {
  return Math.min(Math.max(x, 0), maxTravel);
}
