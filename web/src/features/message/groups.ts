import type { Message } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';

/** A message, or consecutive messages of one rule that stand under one head. */
export type Entry = { kind: 'one'; message: Message } | { kind: 'group'; messages: readonly Message[] };

/** More consecutive messages of one rule than this form a group. */
const maxUngrouped = 3;

/** The list as it is shown: an alarm that begins and ends all night has a head, and can be folded. */
export function entriesOf(list: readonly Message[]): Entry[] {
  const runs: Message[][] = [];
  for (const message of list) {
    const run = runs.at(-1);
    if (run && message.ruleId !== undefined && run[0]?.ruleId === message.ruleId) run.push(message);
    else runs.push([message]);
  }
  return runs.flatMap((run): Entry[] =>
    run.length > maxUngrouped ? [{ kind: 'group', messages: run }] : run.map((message) => ({ kind: 'one', message })),
  );
}

/** A group's title: the title of an alarm that began, which is the rule's name. */
export function titleOf(messages: readonly Message[]): string {
  const named = messages.find(({ event }) => event === 'triggered') ?? messages[0];
  return named ? splitMessage(named).title : '';
}

/**
 * The message whose mark represents a group: the most serious one about a beginning, otherwise the
 * newest.
 */
export function representativeOf(messages: readonly Message[]): Message | undefined {
  const began = messages.filter(({ event }) => event === 'triggered');
  return (
    began.reduce<Message | undefined>(
      (most, message) => (most === undefined || message.alarmLevel > most.alarmLevel ? message : most),
      undefined,
    ) ?? messages[0]
  );
}
