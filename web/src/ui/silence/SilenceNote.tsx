import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { analysisAddress } from '@/lib/analysis/address';
import { adviceSentence, causeSentence, type SilenceCause, silenceQuery } from '@/lib/device/silence';
import type { Device } from '@/lib/device/types';
import { useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Note } from '@/ui/Note';

interface SilenceNoteProps {
  device: Pick<Device, 'deviceName' | 'lastContact'>;
  /** Leads to a new secret, where the page has one. */
  newSecret?: ReactNode;
}

/** Why a silent device is silent, and what to do; nothing until that is known. */
export function SilenceNote({ device, newSecret }: SilenceNoteProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow(60_000);
  const { data: cause } = useQuery(silenceQuery(device));
  if (!cause) return null;
  const action = cause.kind === 'secretRefused' ? newSecret : <NextStep cause={cause} deviceName={device.deviceName} />;
  return (
    <section aria-label={t('silence.title')}>
      <Note
        tone={cause.kind === 'unknown' ? 'info' : 'warn'}
        title={causeSentence(cause, now, format, t)}
        action={hasNextStep(cause) ? action : null}
      >
        {adviceSentence(cause, t)}
      </Note>
    </section>
  );
}

function hasNextStep({ kind }: SilenceCause): boolean {
  return kind === 'secretRefused' || kind === 'batteryLow' || kind === 'gatewaySilent';
}

const daysShown = 7;

function NextStep({ cause, deviceName }: { cause: SilenceCause; deviceName: string }) {
  const { t } = useTranslation();
  if (cause.kind === 'gatewaySilent' && cause.gateway !== undefined) {
    return (
      <Link to="/device" search={{ device: cause.gateway }}>
        {t('silence.gatewayLink')}
      </Link>
    );
  }
  if (cause.kind !== 'batteryLow' || cause.sign === undefined) return null;
  // The week that ends with the silence: later there are no readings.
  const span = { from: cause.since - daysShown * 86_400_000, to: cause.since + 3_600_000 };
  return (
    <Link to="/analysis" search={analysisAddress({ devices: [deviceName], signs: [cause.sign], span })}>
      {t('silence.batteryLink')}
    </Link>
  );
}
