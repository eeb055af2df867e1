import { expect, it } from 'vitest';
import { unitPlace } from './unit';

it('puts percent and per mille first in Turkish, and nothing else', () => {
  expect(unitPlace('%', 'tr-tr')).toBe('first');
  expect(unitPlace('‰', 'tr-tr')).toBe('first');
  for (const unit of ['°C', '%RH', 'm/s']) expect(unitPlace(unit, 'tr-tr')).not.toBe('first');
  for (const language of ['en-us', 'zh-cn', 'ru-ru'] as const) expect(unitPlace('%', language)).not.toBe('first');
});
