import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CloseCircleOutlined from '@ant-design/icons/CloseCircleOutlined';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import css from './Outcome.module.css';
import type { WebhookOutcome } from './queries';

/** What came of a test: whether the program took it, after how long, and what it answered. */
export function Outcome({ outcome: { ok, took, answer, msg } }: { outcome: WebhookOutcome }) {
  const { t } = useTranslation();
  const format = useFormat();
  // What was quicker than a tenth of a second took no time at all, which nobody believes.
  const span = format.took(Math.max(took, 100));
  const Icon = ok ? CheckCircleFilled : CloseCircleOutlined;
  return (
    <p className={`${css.outcome} ${ok ? css.ok : css.wrong}`}>
      <Icon aria-hidden="true" />
      <span className={css.words}>
        {ok ? t('webhook.testOk', { span }) : (msg ?? t('webhook.testFail'))}
        {answer ? <span className={css.answer}>{answer}</span> : null}
      </span>
    </p>
  );
}
