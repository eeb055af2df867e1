import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { type Detail, detailOf, notice } from '@/test/samples';
import { stillHoldsText } from './stillHolds';

type Condition = Detail['alarmRules']['conditions'][number];
const soil = (change: Partial<Condition> = {}): Condition => ({
  andor: 'and',
  tslAttribute: 'soil',
  yeuName: 'Soil moisture',
  elementUnit: '%',
  precision: 0,
  subconditions: '<',
  value: 18,
  ...change,
});
const pump = soil({
  tslAttribute: 'pump',
  yeuName: 'Pump',
  elementUnit: '',
  subconditions: '=',
  value: true,
  andor: 'or',
});

async function stillHoldsTextOf(
  conditions: Condition[],
  values: Record<string, number | boolean | string> | undefined,
  language: Language = 'en-us',
  about: { holds?: boolean } = { holds: true },
) {
  await useLanguage.getState().setLanguage(language);
  const newest = values && { time: 1000, values };
  const detail = detailOf(notice(), { notice: { ...about, newest }, rule: { conditions } });
  return stillHoldsText(detail, formatFor(language), i18next.getFixedT(language)).replaceAll('\u00a0', ' ');
}

describe('the text about conditions that still hold', () => {
  it.each([
    ['en-us', /^Soil moisture is 14%, the limit 18%: the condition still holds\. /],
    ['zh-cn', /^Soil moisture为14%，界限为18%：条件仍然成立。标记/],
    ['tr-tr', /^Soil moisture %14, sınır %18: koşul hâlâ sağlanıyor\. /],
    ['ru-ru', /^Soil moisture: 14 %, граница 18 %; условие всё ещё выполняется\. /],
  ] as const)('is in %s', async (language, words) => {
    expect(await stillHoldsTextOf([soil()], { soil: 14 }, language)).toMatch(words);
  });

  it.each([
    [{ value: 18, recovery: 20 }, 19, /^Soil moisture is 19%, the alarm clears at 20%: /],
    [{ value: 18, recovery: 20 }, 17, /^Soil moisture is 17%, the limit 18%: /],
    [{ subconditions: '>=', value: 18 }, 18, /^Soil moisture is 18%, the limit 18%: /],
    [{ subconditions: '!=', value: 18 }, 14, /^Soil moisture is 14%: /],
    // The server rounds to the precision before it compares.
    [{ value: 18, recovery: 20 }, 17.6, /^Soil moisture is 18%, the alarm clears at 20%: /],
    [{ subconditions: '>=', value: 18 }, 17.6, /^Soil moisture is 18%, the limit 18%: /],
  ] as const)('describes %j at %d', async (change, value, words) => {
    expect(await stillHoldsTextOf([soil(change)], { soil: value })).toMatch(words);
  });

  it('names those of several conditions that hold', async () => {
    expect(await stillHoldsTextOf([soil(), pump], { soil: 14, pump: true })).toMatch(
      /^Soil moisture is 14%, the limit 18% and Pump is On: /,
    );
    expect(await stillHoldsTextOf([soil(), pump], { soil: 30, pump: true })).toMatch(/^Pump is On: /);
    expect(await stillHoldsTextOf([soil(), { ...pump, subconditions: '!=' }], { soil: 14, pump: true })).toMatch(
      /^Soil moisture is 14%, the limit 18%: /,
    );
  });

  it('contains no values if none are known', async () => {
    expect(await stillHoldsTextOf([soil()], undefined)).toMatch(/^By the newest readings the condition still holds\. /);
  });

  it.each([{ holds: false }, {}])('is empty for %j', async (about) => {
    expect(await stillHoldsTextOf([soil()], { soil: 14 }, 'en-us', about)).toBe('');
  });
});
