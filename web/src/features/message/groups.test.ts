import { describe, expect, it } from 'vitest';
import { message } from '@/test/samples';
import { entriesOf, representativeOf, titleOf } from './groups';

const messageOf = (id: number, ruleId: number | undefined, change = {}) => message(id, { ruleId, ...change });
const shape = (list: Parameters<typeof entriesOf>[0]) =>
  entriesOf(list).map((entry) => (entry.kind === 'one' ? entry.message.id : entry.messages.map(({ id }) => id)));

describe('consecutive messages of one rule', () => {
  it('form a group if they are more than three', () => {
    expect(
      shape([messageOf(9, 1), messageOf(8, 2), messageOf(7, 2), messageOf(6, 2), messageOf(5, 2), messageOf(4, 1)]),
    ).toEqual([9, [8, 7, 6, 5], 4]);
    expect(shape([messageOf(9, 2), messageOf(8, 2), messageOf(7, 2)])).toEqual([9, 8, 7]);
  });

  it('are interrupted by any other message', () => {
    expect(shape([messageOf(9, 2), messageOf(8, 2), messageOf(7, 1), messageOf(6, 2), messageOf(5, 2)])).toEqual([
      9, 8, 7, 6, 5,
    ]);
  });

  it('form no group if the rule is unknown', () => {
    expect(
      shape([messageOf(4, undefined), messageOf(3, undefined), messageOf(2, undefined), messageOf(1, undefined)]),
    ).toEqual([4, 3, 2, 1]);
    expect(shape([])).toEqual([]);
  });
});

describe('a group', () => {
  const cleared = messageOf(4, 1, { event: 'resolved', title: 'Frost has cleared', alarmLevel: 2 });
  const began = messageOf(3, 1, { title: 'Frost', alarmLevel: 1 });
  const worse = messageOf(2, 1, { title: 'Frost', alarmLevel: 2 });

  it('has the rule’s name, whatever happened last', () => {
    expect(titleOf([cleared, began])).toBe('Frost');
    expect(titleOf([cleared])).toBe('Frost has cleared');
  });

  it('shows the most serious beginning', () => {
    expect(representativeOf([cleared, began, worse])).toBe(worse);
    expect(representativeOf([cleared])).toBe(cleared);
  });
});
