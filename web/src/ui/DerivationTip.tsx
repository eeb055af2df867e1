import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Derivation } from '@/lib/device/derivation';
import { formatDayOfYear } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { DerivationDetails } from './DerivationDetails';
import css from './DerivationNote.module.css';

/**
 * The parameters of a formula that a grower chooses, with their units; the others are physical
 * constants.
 */
const shownParameters = { base: '°C', upper: '°C', threshold: '%', fieldCapacity: '%', wiltingPoint: '%' } as const;

interface DerivationTipProps {
  /** Of the tooltip's element, which describes the mark. */
  id: string;
  open: boolean;
  derivation: Derivation;
  /** The device, if the note is about one. */
  deviceName?: string;
}

/** The formula of a computed value and its inputs, beside the mark that this stands in. */
export function DerivationTip({ id, open, derivation, deviceName }: DerivationTipProps) {
  return (
    <Tooltip
      id={id}
      open={open}
      title={
        <>
          <Words derivation={derivation} />
          {open && deviceName ? <DerivationDetails derivation={derivation} deviceName={deviceName} /> : null}
        </>
      }
    >
      <span className={css.anchor} />
    </Tooltip>
  );
}

function Words({ derivation: { formula, inputs, parameters } }: { derivation: Derivation }) {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  const numbers = (Object.keys(shownParameters) as (keyof typeof shownParameters)[]).flatMap((name) => {
    const value = parameters[name];
    if (value === undefined) return [];
    return [t(`derived.parameter.${name}`, { value: format.reading({ value, unit: shownParameters[name] }) })];
  });
  const { startMonth, startDay } = parameters;
  if (startMonth !== undefined && startDay !== undefined) {
    numbers.push(t('derived.parameter.since', { day: formatDayOfYear(startMonth, startDay, language) }));
  }
  // A newer server may know other formulas.
  const key = `derived.formula.${formula}` as 'derived.formula.dewPoint';
  const known: boolean = i18n.exists(key);
  return (
    <>
      <span className={css.line}>{known ? t(key) : formula}</span>
      <span className={css.line}>{t('derived.from', { inputs: list.format(inputs.map(({ name }) => name)) })}</span>
      {numbers.length > 0 ? <span className={css.line}>{numbers.join(' · ')}</span> : null}
    </>
  );
}
