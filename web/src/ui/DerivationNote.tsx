import FunctionOutlined from '@ant-design/icons/FunctionOutlined';
import { Tooltip } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Derivation } from '@/lib/device/derivation';
import { formatDayOfYear } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { DerivationDetails } from './DerivationDetails';
import css from './DerivationNote.module.css';

/** The numbers of a formula that a grower chooses, and what they are in; the others are the physicist's. */
const shownParameters = { base: '°C', upper: '°C', threshold: '%', fieldCapacity: '%', wiltingPoint: '%' } as const;

interface DerivationNoteProps {
  derivation: Derivation;
  /** Of which device, where it is about one. */
  deviceName?: string;
}

/**
 * Of a value that is computed and not measured: says, when pointed at, reached by keyboard or tapped, by which formula and
 * from what; and of a device's, whether it is an estimate, or why there is none.
 */
export function DerivationNote({ derivation, deviceName }: DerivationNoteProps) {
  const { t } = useTranslation();
  const [looks, setLooks] = useState(false);
  return (
    // A tap brings the focus: a click of its own would close again what that has just opened.
    <Tooltip
      title={
        <>
          <Words derivation={derivation} />
          {looks && deviceName ? <DerivationDetails derivation={derivation} deviceName={deviceName} /> : null}
        </>
      }
      trigger={['hover', 'focus']}
      onOpenChange={setLooks}
    >
      <button type="button" className={css.mark} aria-label={t('derived.about', { name: derivation.name })}>
        <FunctionOutlined aria-hidden="true" />
      </button>
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
  // A server that is newer than this page may know others.
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
