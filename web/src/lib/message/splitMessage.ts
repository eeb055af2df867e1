import type { Message } from './queries';

/** A message's first line is its title; the others are details. */
export function splitMessage({ templateContent }: Message): { title: string; rest: string[] } {
  const [title = '', ...rest] = templateContent.split('\n').filter((line) => line.trim() !== '');
  return { title, rest };
}
