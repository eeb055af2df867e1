import { ApiError } from '@/lib/http/http';

/** What a right password needs besides: a code, or that the second factor is set up first. */
export interface SecondStep {
  step: 'code' | 'enrol';
  ticket: string;
}

/** The names of the steps in the data of a refusal. */
export const secondSteps = ['codeRequired', 'enrolRequired'] as const;

/** The step that a refusal of the password asks for; undefined if it asks for none. */
export function secondStepOf(error: unknown): SecondStep | undefined {
  if (!(error instanceof ApiError) || error.kind !== 'business' || error.code !== 601) return undefined;
  const data = error.data as { codeRequired?: unknown; enrolRequired?: unknown; ticket?: unknown } | null;
  if (typeof data?.ticket !== 'string') return undefined;
  if (data.codeRequired === true) return { step: 'code', ticket: data.ticket };
  if (data.enrolRequired === true) return { step: 'enrol', ticket: data.ticket };
  return undefined;
}

/** The name, in the data of a refusal, of the step back to the password. */
export const ticketOver = 'ticketOver';
