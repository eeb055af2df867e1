import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import SyncOutlined from '@ant-design/icons/SyncOutlined';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { propertyName } from '@/lib/device/derivation';
import { tslQuery } from '@/lib/device/queries';
import type { TslProperty } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { Age } from '@/ui/Age';
import { ErrorNote } from '@/ui/ErrorNote';
import type { FirstReading as Reading } from '../queries';
import css from './FirstReading.module.css';
import { HintList } from './HintList';
import type { HintContext } from './hintText';
import { hintKey } from './merge';
import type { FirstReadingState } from './useFirstReading';

interface FirstReadingProps {
  first: FirstReadingState;
  device: HintContext;
  /** Makes a new secret for a device that signs in with another. */
  onNewSecret: () => void;
  /** Comes into view when something happens: the user waits for nothing else. */
  follows?: boolean;
}

/** Waits for a device's first reading, says what goes wrong, and shows the reading when it is there. */
export function FirstReading({ first, device, onNewSecret, follows = false }: FirstReadingProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const tsl = useQuery(tslQuery(language, device.deviceName)).data;
  const { query, reading, hints } = first;
  const received = reading !== undefined;
  // What it signed in with before no longer matters once it has reported; refused values and its path do.
  const shown = received ? hints.filter(({ kind }) => kind === 'refused' || kind === 'wrongPath') : hints;
  const box = useRef<HTMLElement>(null);
  const happened = `${received} ${shown.map(hintKey).join()}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something happens
  useEffect(() => {
    if (follows && (received || shown.length > 0)) box.current?.scrollIntoView?.({ block: 'nearest' });
  }, [follows, happened]);
  return (
    <section ref={box} className={`${css.box} ${received ? css.received : ''}`} aria-label={t('device.first.title')}>
      <p className={css.state} role="status">
        {received ? (
          <CheckCircleFilled className={css.here} aria-hidden="true" />
        ) : (
          <SyncOutlined className={css.wait} spin aria-hidden="true" />
        )}
        {t(received ? 'device.first.received' : 'device.first.waiting')}
      </p>
      {reading ? <Values reading={reading} properties={tsl?.propertie ?? []} /> : null}
      {query.isError && !received ? (
        <div className={css.error}>
          <ErrorNote
            title={t('device.detail.loadFail')}
            text={errorText(query.error)}
            onRetry={() => void query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : null}
      <HintList hints={shown} device={device} properties={tsl?.propertie ?? []} onNewSecret={onNewSecret} />
    </section>
  );
}

function Values({ reading: { time, values }, properties }: { reading: Reading; properties: readonly TslProperty[] }) {
  const format = useFormat();
  const signs = Object.keys(values);
  // In the order of the model; what the model has not (yet) told comes last, by its identifier.
  const known = properties.filter(({ identifier }) => identifier in values);
  const rest = signs.filter((sign) => known.every(({ identifier }) => identifier !== sign));
  return (
    <>
      <dl className={css.values}>
        {known.map((property) => {
          const { identifier, elementUnit: unit, precision } = property;
          const name = propertyName(property);
          const value = values[identifier];
          return (
            <div key={identifier} className={css.value}>
              <dt>{name}</dt>
              <dd>{value === undefined ? null : format.reading({ value, unit, precision }, name)}</dd>
            </div>
          );
        })}
        {rest.map((sign) => (
          <div key={sign} className={css.value}>
            <dt>{sign}</dt>
            <dd>{String(values[sign])}</dd>
          </div>
        ))}
      </dl>
      <p className={css.time} title={format.absolute(time)}>
        <Age time={time} form="within" />
      </p>
    </>
  );
}
