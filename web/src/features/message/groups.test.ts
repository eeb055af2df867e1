import { describe, expect, it } from 'vitest';
import { message } from '@/test/samples';
import { entriesOf, faceOf, titleOf } from './groups';

const of = (id: number, ruleId: number | undefined, change = {}) => message(id, { ruleId, ...change });
const shape = (list: Parameters<typeof entriesOf>[0]) =>
  entriesOf(list).map((entry) => (entry.kind === 'one' ? entry.message.id : entry.messages.map(({ id }) => id)));

describe('neighbours of one rule', () => {
  it('are a group when they are more than three', () => {
    expect(shape([of(9, 1), of(8, 2), of(7, 2), of(6, 2), of(5, 2), of(4, 1)])).toEqual([9, [8, 7, 6, 5], 4]);
    expect(shape([of(9, 2), of(8, 2), of(7, 2)])).toEqual([9, 8, 7]);
  });

  it('are neighbours only while nothing stands between', () => {
    expect(shape([of(9, 2), of(8, 2), of(7, 1), of(6, 2), of(5, 2)])).toEqual([9, 8, 7, 6, 5]);
  });

  it('are none where the rule is not known', () => {
    expect(shape([of(4, undefined), of(3, undefined), of(2, undefined), of(1, undefined)])).toEqual([4, 3, 2, 1]);
    expect(shape([])).toEqual([]);
  });
});

describe('a group', () => {
  const cleared = of(4, 1, { event: 'resolved', title: 'Frost has cleared', alarmLevel: 2 });
  const began = of(3, 1, { title: 'Frost', alarmLevel: 1 });
  const worse = of(2, 1, { title: 'Frost', alarmLevel: 2 });

  it('is called as the rule is, whatever happened last', () => {
    expect(titleOf([cleared, began])).toBe('Frost');
    expect(titleOf([cleared])).toBe('Frost has cleared');
  });

  it('shows the most serious that began', () => {
    expect(faceOf([cleared, began, worse])).toBe(worse);
    expect(faceOf([cleared])).toBe(cleared);
  });
});
