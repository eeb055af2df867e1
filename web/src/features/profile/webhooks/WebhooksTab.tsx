import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { type ComponentRef, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import tabHead from '../tabHead.module.css';
import { maxWebhooks, type Webhook, webhooksQuery } from './queries';
import { useWebhooksLive } from './useWebhooksLive';
import { WebhookCard } from './WebhookCard';
import { type WebhookAction, WebhookConfirmDialog } from './WebhookConfirmDialog';
import { WebhookDialog } from './WebhookDialog';
import { WebhookSecret } from './WebhookSecret';
import css from './WebhooksTab.module.css';

/**
 * The webhooks that are called about alarms: create, test, enable and disable, and see the
 * programs' answers.
 */
export function WebhooksTab() {
  const { t } = useTranslation();
  const [editing, setEditing] = useState<{ of: Webhook | null; open: boolean }>({ of: null, open: false });
  const [pendingAction, setPendingAction] = useState<WebhookAction | null>(null);
  const newButton = useRef<ComponentRef<typeof Button>>(null);
  const { data, ...query } = useQuery(webhooksQuery());
  useWebhooksLive();
  const full = (data?.total ?? 0) >= maxWebhooks;

  const add = (
    <Button
      type="primary"
      icon={<PlusOutlined aria-hidden="true" />}
      disabled={full}
      onClick={() => setEditing({ of: null, open: true })}
      ref={newButton}
    >
      {t('webhook.new')}
    </Button>
  );
  const empty = data?.total === 0;

  return (
    <>
      {data && !empty ? (
        <div className={tabHead.head}>
          <p className={tabHead.what}>
            {t('webhook.what')}{' '}
            <a className={tabHead.reference} href="/open-api/#createWebhook">
              {t('webhook.reference')}
            </a>
            {full ? <span className={css.full}>{t('webhook.full', { most: maxWebhooks })}</span> : null}
          </p>
          {add}
        </div>
      ) : null}
      {query.isError ? (
        <div className={css.error}>
          <ErrorNote
            title={t('webhook.loadFail')}
            text={errorText(query.error)}
            onRetry={() => query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : null}
      {query.isPending ? (
        <Loading>
          <div className={css.waiting}>
            <Skeleton height={96} />
            <Skeleton height={96} />
          </div>
        </Loading>
      ) : null}
      {empty ? <Empty title={t('webhook.emptyTitle')} text={t('webhook.what')} action={add} level={3} /> : null}
      {data && !empty ? (
        <ul className={css.list}>
          {data.list.map((webhook) => (
            <WebhookCard
              key={webhook.id}
              webhook={webhook}
              onEdit={() => setEditing({ of: webhook, open: true })}
              onAsk={(what) => setPendingAction({ what, webhook })}
            />
          ))}
        </ul>
      ) : null}
      <WebhookDialog
        open={editing.open}
        of={editing.of}
        onClose={() => setEditing((before) => ({ ...before, open: false }))}
      />
      <WebhookConfirmDialog
        action={pendingAction}
        onClose={() => setPendingAction(null)}
        onClosed={() => {
          // The button that opened the dialog may have disappeared with its card.
          if (document.activeElement === document.body) newButton.current?.focus();
        }}
      />
      <WebhookSecret onClosed={() => newButton.current?.focus()} />
    </>
  );
}
