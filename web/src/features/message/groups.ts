import type { Message } from '@/lib/message/queries';
import { splitMessage } from '@/lib/message/splitMessage';

/** A message, or the neighbours of one rule that fold into one line. */
export type Entry = { kind: 'one'; message: Message } | { kind: 'group'; messages: readonly Message[] };

/** More neighbours of one rule than this are a group. */
const maxUngrouped = 3;

/** The list as it is shown: an alarm that comes and goes all night is one line that says so. */
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

/** What a group is called: by the title of an alarm that began, which is the rule's name. */
export function titleOf(messages: readonly Message[]): string {
  const named = messages.find(({ event }) => event === 'triggered') ?? messages[0];
  return named ? splitMessage(named).title : '';
}

/** The most serious of a group that began, else the newest: what its mark shows. */
export function representativeOf(messages: readonly Message[]): Message | undefined {
  const began = messages.filter(({ event }) => event === 'triggered');
  return (
    began.reduce<Message | undefined>(
      (most, one) => (most === undefined || one.alarmLevel > most.alarmLevel ? one : most),
      undefined,
    ) ?? messages[0]
  );
}
