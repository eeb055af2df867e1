import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tslQuery } from '@/lib/device/queries';
import type { Device } from '@/lib/device/types';
import { now } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { CopyButton } from '@/ui/CopyButton';
import { Note } from '@/ui/Note';
import type { Connection } from '../queries';
import css from './Connection.module.css';
import { type CommandLine, childPlaceholder, commandLinesOf, sampleValues, secretPlaceholder } from './commandLines';

interface ConnectionHelpProps {
  /** Its last readings are the lines' example. */
  lastData: Device['lastData'];
  addresses: Connection;
  /** A new secret, which the lines then hold. */
  secret?: string;
}

/** The addresses through which a device reports, and command lines to copy. */
export function ConnectionHelp({ lastData, addresses, secret }: ConnectionHelpProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const language = useLanguage((state) => state.language);
  const tsl = useQuery(tslQuery(language, addresses.deviceName)).data;
  // Set once, so that the lines do not change while the user copies them.
  const [at] = useState(() => Math.floor(now()));
  const { deviceName, gateway, http, mqttHost, mqttPort, mqttTlsPort, topic, secrets } = addresses;
  const port = (number: number) => (number === 0 ? t('device.connect.off') : String(number));
  return (
    <>
      {secret === undefined ? (
        <p className={css.secrets}>{t('device.connect.secrets', { count: secrets, n: format.number(secrets) })}</p>
      ) : null}
      <dl className={css.facts}>
        <Fact name={t('device.connect.host')} value={mqttHost} />
        <Fact name={t('device.connect.port')} value={port(mqttPort)} />
        <Fact name={t('device.connect.tlsPort')} value={port(mqttTlsPort)} />
        <Fact name={t('device.connect.user')} value={deviceName} />
        <Fact name={t('device.connect.password')} value={t('device.connect.aSecret')} words />
        <Fact name={t('device.connect.topic')} value={topic} />
        <Fact name={t('device.connect.http')} value={http} />
      </dl>
      {gateway ? (
        <div className={css.gateway}>
          <Note tone="info">{t('device.connect.gateway', { word: childPlaceholder })}</Note>
        </div>
      ) : null}
      <h4 className={css.heading}>{t('device.connect.lines')}</h4>
      <p className={css.hint}>
        {secret === undefined
          ? t('device.connect.placeholder', { word: secretPlaceholder })
          : t('device.connect.holds')}
      </p>
      {tsl ? (
        <ul className={css.lines}>
          {commandLinesOf(addresses, sampleValues(tsl.propertie, lastData), at, secret).map((line) => (
            <CopyLine key={line.way} line={line} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

function Fact({ name, value, words = false }: { name: string; value: string; words?: boolean }) {
  return (
    <div className={css.fact}>
      <dt className={css.key}>{name}</dt>
      <dd className={css.value}>{words ? value : <code translate="no">{value}</code>}</dd>
    </div>
  );
}

function CopyLine({ line: { way, command } }: { line: CommandLine }) {
  const { t } = useTranslation();
  const text = useRef<HTMLElement>(null);
  return (
    <li className={css.line}>
      <div className={css.way}>
        <span>{way}</span>
        <CopyButton textRef={text} label={t('device.connect.copyLine', { way })} quiet className={css.copy} />
      </div>
      <pre className={css.command}>
        <code ref={text} translate="no">
          {command}
        </code>
      </pre>
    </li>
  );
}
