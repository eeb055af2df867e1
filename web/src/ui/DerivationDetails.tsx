import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import type { Derivation } from '@/lib/device/derivation';
import { derivedQuery } from '@/lib/device/queries';
import { now } from '@/lib/format/clock';
import { type Format, useFormat } from '@/lib/format/format';
import css from './DerivationNote.module.css';

type DerivedValueDetails = components['schemas']['DerivedAccount'];

interface DerivationDetailsProps {
  derivation: Derivation;
  deviceName: string;
}

/**
 * How a device's derived property got its newest value, or why it has none; fetched while it is
 * shown.
 */
export function DerivationDetails({ derivation, deviceName }: DerivationDetailsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const account = useQuery({
    ...derivedQuery(deviceName, derivation.sign),
    staleTime: 0,
    refetchOnMount: 'always',
  }).data;
  if (!account) return null;
  return detailSentences(account, derivation, format, t).map((text) => (
    <span key={text} className={css.account}>
      {text}
    </span>
  ));
}

const halfDay = 12 * 3_600_000;

/** The details, in sentences. */
function detailSentences(account: DerivedValueDetails, { inputs }: Derivation, format: Format, t: TFunction): string[] {
  const { kind, time, reason, estimated, came, of, filled, since } = account;
  // The noon of a day belongs to that day in the user's zone, too.
  const day = (at: number | null | undefined) => (at == null ? '' : format.day(at, now()));
  const values = {
    input: inputs.find(({ sign }) => sign === account.input)?.name ?? account.input ?? '',
    day: day(time == null ? null : time - halfDay),
    since: day(since == null ? null : since + halfDay),
    came: format.number(came),
    of: format.number(of),
  };
  switch (reason) {
    case 'missing':
      return [t(kind === 'instant' || time == null ? 'derived.none.missing' : 'derived.none.missingDay', values)];
    case 'old': {
      const measured = account.inputs.find(({ identifier }) => identifier === account.input)?.time ?? 0;
      const span = format.duration((time ?? 0) - measured);
      return [t('derived.none.old', { ...values, span, most: format.duration(account.age) })];
    }
    case 'position':
    case 'elevation':
    case 'hours':
    case 'days':
    case 'range':
    case 'bounds':
      return [t(`derived.none.${reason}`, values)];
  }
  const texts: string[] = [];
  if (kind === 'season') texts.push(t(came < of ? 'derived.some.seasonGaps' : 'derived.some.season', values));
  if (filled > 0) texts.push(t('derived.some.filled', { count: filled }));
  if (estimated && texts.length === 0) texts.push(t('derived.some.estimate'));
  return texts;
}
