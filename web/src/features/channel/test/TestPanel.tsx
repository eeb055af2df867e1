import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CloseCircleOutlined from '@ant-design/icons/CloseCircleOutlined';
import CloseOutlined from '@ant-design/icons/CloseOutlined';
import FileTextOutlined from '@ant-design/icons/FileTextOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { TestOutcome } from '@/lib/channel/queries';
import { useClock } from '@/lib/format/clock';
import { type Format, useFormat } from '@/lib/format/format';
import { IconButton } from '@/ui/IconButton';
import css from './TestPanel.module.css';
import { type ChannelTest, isRunning, type Recipient } from './useTests';

interface TestPanelProps {
  /** The channel's name. */
  name: string;
  test: ChannelTest;
  onClose: () => void;
}

/** The outcome of a test: one line a recipient, with the answer of the mail server or gateway. */
export function TestPanel({ name, test, onClose }: TestPanelProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { at, to, outcomes } = test;
  const time = useClock((now) => format.moment(at, now));
  const running = isRunning(test);
  const statusText = running
    ? t('channel.test.running', { count: to.length, n: format.number(to.length) })
    : outcomes && summary(outcomes, format, t);
  return (
    <section className={css.panel} aria-label={t('channel.test.title', { name })} aria-busy={running}>
      <div className={css.head}>
        <p className={css.title}>
          {t('channel.test.title', { name })} <span className={css.time}>{time}</span>
        </p>
        {running ? null : (
          <IconButton
            className={css.close}
            label={t('channel.test.close', { name })}
            icon={<CloseOutlined aria-hidden="true" />}
            onClick={onClose}
          />
        )}
      </div>
      <p className={css.said} role="status">
        {statusText}
      </p>
      <ul className={css.lines}>
        {outcomes
          ? outcomes.map((outcome) => (
              <ReceivedOutcome key={`${outcome.mode} ${outcome.recipient}`} outcome={outcome} />
            ))
          : to.map((one) => <PendingOutcome key={`${one.mode} ${one.recipient}`} of={one} />)}
      </ul>
    </section>
  );
}

/**
 * The outcome in a sentence: some failed; or some went only to the server's log; or all were sent.
 */
function summary(outcomes: readonly TestOutcome[], format: Format, t: TFunction) {
  const failed = outcomes.filter(({ ok }) => !ok).length;
  const logged = outcomes.filter((one) => one.logged).length;
  const m = format.number(outcomes.length);
  if (failed > 0) return t('channel.test.someFailed', { n: format.number(failed), m });
  if (logged === outcomes.length) return t('channel.test.allLogged');
  if (logged > 0) return t('channel.test.someLogged', { n: format.number(logged), m });
  return t('channel.test.allWell', { count: outcomes.length, n: m });
}

function PendingOutcome({ of: { recipient } }: { of: Recipient }) {
  const { t } = useTranslation();
  return (
    <li className={css.line}>
      <LoadingOutlined className={css.waiting} aria-hidden="true" />
      <span className={css.who}>{recipient}</span>
      <span className={css.how}>{t('channel.test.waiting')}</span>
    </li>
  );
}

function ReceivedOutcome({ outcome: { recipient, mode, ok, logged, took, answer, msg } }: { outcome: TestOutcome }) {
  const { t } = useTranslation();
  const format = useFormat();
  const span = format.took(took);
  return (
    <li className={css.line}>
      {logged ? (
        <FileTextOutlined className={css.waiting} aria-hidden="true" />
      ) : ok ? (
        <CheckCircleFilled className={css.ok} aria-hidden="true" />
      ) : (
        <CloseCircleOutlined className={css.wrong} aria-hidden="true" />
      )}
      <span className={css.who}>{recipient}</span>
      <span className={`${css.how} ${ok ? '' : css.wrong}`}>
        {ok
          ? t(`channel.test.ok.${logged ? 'logged' : mode === 'email' ? 'email' : 'phoneMessage'}`, { span })
          : t('channel.test.failed', { span })}
      </span>
      {!ok && msg ? <span className={css.msg}>{msg}</span> : null}
      {answer && answer !== msg ? <span className={css.answer}>{answer}</span> : null}
    </li>
  );
}
