import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CloseCircleOutlined from '@ant-design/icons/CloseCircleOutlined';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import css from './Outcome.module.css';
import type { WebhookOutcome } from './queries';

/** The result of a test: whether the program accepted it, after how long, and its answer. */
export function Outcome({ outcome: { ok, took, answer, msg } }: { outcome: WebhookOutcome }) {
  const { t } = useTranslation();
  const format = useFormat();
  // At least 0.1 seconds are shown, since a duration of 0 looks wrong.
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
