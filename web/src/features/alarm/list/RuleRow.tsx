import BellOutlined from '@ant-design/icons/BellOutlined';
import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import FieldTimeOutlined from '@ant-design/icons/FieldTimeOutlined';
import SendOutlined from '@ant-design/icons/SendOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import { memo, type ReactNode, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { periodText } from '@/lib/alarm/period';
import { ruleParts, spanText } from '@/lib/alarm/sentence';
import { mayCoverMany, targetsOf } from '@/lib/alarm/targets';
import type { AlarmRule, Outlook } from '@/lib/alarm/types';
import { useDeliveryReach } from '@/lib/channel/deliveryReach';
import type { Channel } from '@/lib/channel/queries';
import { nameOf } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useLanguage } from '@/lib/i18n/i18n';
import { Sentence } from '@/ui/alarm/Sentence';
import { DeployTag, LevelTag } from '@/ui/alarm/tags';
import { Chip } from '@/ui/Chip';
import { CannotAlarm } from './CannotAlarm';
import { LastAlarm } from './LastAlarm';
import { OutlookLine } from './OutlookLine';
import { RuleButtons } from './RuleActions';
import { RuleDevices } from './RuleDevices';
import css from './RuleRow.module.css';
import { type Elements, sentenceOf } from './sentenceOf';

interface RuleRowProps {
  rule: AlarmRule;
  /** Names and units of its attributes. */
  elements: Elements;
  outlook: Outlook | undefined;
  /** The channels by id; undefined until they are fetched. */
  channels: ReadonlyMap<number, Channel> | undefined;
}

/**
 * A rule as a sentence, when it last fired or how close it is, and the button to run or stop it: a row
 * where the list is wide, else a card.
 */
export const RuleRow = memo(function RuleRow({ rule, elements, outlook, channels }: RuleRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const language = useLanguage((state) => state.language);
  const parts = useMemo(() => ruleParts(sentenceOf(rule, elements), 'brief', language), [rule, elements, language]);
  const running = rule.deployState === 1;
  const count = rule.passageway.length;
  const names = rule.passageway.flatMap((channelId) => channels?.get(channelId)?.noticeName ?? []);
  // Names may contain commas, so a dot separates them.
  const notifyText =
    count === 0
      ? t('rule.card.nobody')
      : names.length === count
        ? names.join(' · ')
        : t('rule.card.channels', { count, n: format.number(count) });
  const reach = useDeliveryReach(rule.passageway);
  const { muteUntil = 0 } = rule;
  const muted = useClock((now) => muteUntil > now && format.moment(muteUntil, now));
  return (
    <article className={`${css.rule} ${running ? '' : css.stopped}`} aria-labelledby={id}>
      <header className={css.head}>
        <DeployTag running={running} />
        <LevelTag level={rule.alarmLevel} />
      </header>
      <div className={css.what}>
        <h2 className={css.name} id={id} title={rule.alarmName}>
          {rule.alarmName}
        </h2>
        <p className={css.sentence}>
          <Sentence parts={parts} />
        </p>
      </div>
      <CannotAlarm rule={rule} outlook={outlook} elements={elements} />
      <ul className={css.facts}>
        {mayCoverMany(targetsOf(rule)) ? (
          <DevicesFact rule={rule} />
        ) : (
          <Fact icon={<DeploymentUnitOutlined />} title={t('rule.card.device', { name: rule.executionId })}>
            {nameOf({ deviceName: rule.executionId, noteName: rule.noteName })}
          </Fact>
        )}
        <Fact icon={<SendOutlined />}>{notifyText}</Fact>
        {running && reach !== undefined && reach !== 'out' ? (
          <li className={css.fact}>
            <Chip tone="warn" icon={<WarningOutlined />} title={t(`channel.reach.${reach}`)}>
              {t('rule.card.reachesNobody')}
            </Chip>
          </li>
        ) : null}
        <Fact icon={<ClockCircleOutlined />} title={t('rule.form.period')}>
          {format.capital(periodText(rule, format) ?? t('rule.card.wholeDay'))}
        </Fact>
        {rule.remindEvery === undefined ? null : (
          <Fact icon={<FieldTimeOutlined />}>
            {t('rule.card.remind', { span: spanText(rule.remindEvery, language) })}
          </Fact>
        )}
        {muted ? <Fact icon={<BellOutlined />}>{t('rule.card.mutedUntil', { time: muted })}</Fact> : null}
      </ul>
      <footer className={css.foot}>
        <div className={css.last}>
          <LastAlarm rule={rule} checked={outlook?.lastSample} />
          <OutlookLine rule={rule} outlook={outlook} elements={elements} />
        </div>
        <RuleButtons rule={rule} running={running} />
      </footer>
    </article>
  );
});

/**
 * How many devices a rule has, how many of them have open alarms and how many are left out. A click
 * lists them.
 */
function DevicesFact({ rule }: { rule: AlarmRule }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  const { deviceCount: count, openCount, leftOut } = rule;
  const devices = count === 0 ? t('rule.card.noDevice') : t('rule.card.devices', { count, n: format.number(count) });
  const out = (leftOut?.limit ?? 0) + (leftOut?.misfit ?? 0);
  return (
    <li className={css.fact}>
      <span className={css.icon} aria-hidden="true">
        <DeploymentUnitOutlined />
      </span>
      <button type="button" className={css.devices} onClick={() => setOpen(true)}>
        {openCount === 0 ? devices : t('rule.card.openOf', { devices, open: format.number(openCount) })}
        {out > 0 ? ` · ${t('rule.card.leftOut', { count: out, n: format.number(out) })}` : null}
      </button>
      <RuleDevices rule={rule} open={open} onClose={() => setOpen(false)} />
    </li>
  );
}

function Fact({ icon, title, children }: { icon: ReactNode; title?: string; children: string }) {
  return (
    <li className={css.fact}>
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={css.words} title={title ? `${title} · ${children}` : children}>
        {children}
      </span>
    </li>
  );
}
