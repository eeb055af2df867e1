import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { TslProperty } from '@/lib/device/types';
import { Age } from '@/ui/Age';
import { Note } from '@/ui/Note';
import type { DeviceHint } from '../queries';
import css from './FirstReading.module.css';
import { type HintContext, hintText } from './hintText';
import { hintKey } from './merge';

interface HintListProps {
  hints: readonly DeviceHint[];
  device: HintContext;
  properties: readonly TslProperty[];
  /** Makes a new secret for a device that signs in with another. */
  onNewSecret: () => void;
}

/** What went wrong as a device tried to report, in sentences. */
export function HintList({ hints, device, properties, onNewSecret }: HintListProps) {
  const { t } = useTranslation();
  return (
    // The ages within change all the time; only a further hint is announced.
    <ul className={css.hints} aria-label={t('device.first.hints')} aria-live="polite" aria-relevant="additions">
      {hints.map((hint) => (
        <li key={hintKey(hint)}>
          <Note
            tone="warn"
            action={
              hint.kind === 'wrongSecret' ? (
                <Button size="small" onClick={onNewSecret}>
                  {t('device.secret.new')}
                </Button>
              ) : undefined
            }
          >
            {hintText(hint, { ...device, properties }, t)} <Age time={hint.time} form="within" />
          </Note>
        </li>
      ))}
    </ul>
  );
}
