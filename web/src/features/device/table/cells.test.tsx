import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Device } from '@/lib/device/types';
import { State } from './cells';

it.each([
  [1, undefined, 'Online'],
  [0, undefined, 'Offline'],
  [1, 0, 'Online'],
  [1, 2, 'Online'],
  [0, 1, 'Offline'],
] as const)(
  'shows the state of a device, which an alarm does not replace (%s, %s)',
  (onlineState, alarmLevel, word) => {
    const device = { onlineState, alarmLevel } as Device;
    const { container } = render(<State device={device} />);
    const shown = container.cloneNode(true) as HTMLElement;
    for (const hidden of shown.querySelectorAll('.visually-hidden')) hidden.remove();
    expect(shown).toHaveTextContent(new RegExp(`^${word}$`));
    const levels = ['General', 'Important', 'Serious'];
    const heard = alarmLevel === undefined ? word : `${word} · Pending alarm · ${levels[alarmLevel]}`;
    expect(container).toHaveTextContent(new RegExp(`^${heard}$`));
  },
);
