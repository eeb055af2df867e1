import CaretRightOutlined from '@ant-design/icons/CaretRightOutlined';
import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import EditOutlined from '@ant-design/icons/EditOutlined';
import KeyOutlined from '@ant-design/icons/KeyOutlined';
import SendOutlined from '@ant-design/icons/SendOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Chip } from '@/ui/Chip';
import { IconButton } from '@/ui/IconButton';
import { Note } from '@/ui/Note';
import { Deliveries } from './Deliveries';
import { Outcome } from './Outcome';
import { switchWebhook, testWebhook, type Webhook, webhooksKey } from './queries';
import css from './WebhookCard.module.css';

interface WebhookCardProps {
  webhook: Webhook;
  onEdit: () => void;
  onAsk: (what: 'delete' | 'secret') => void;
}

/** One webhook: its address, its events, its actions and its last deliveries. */
export function WebhookCard({ webhook, onEdit, onAsk }: WebhookCardProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const id = useId();
  const [open, setOpen] = useState(false);
  const { name, url, enabled, gone, oldSecretUntil } = webhook;
  const toggle = useMutation({
    mutationFn: () => switchWebhook(webhook.id, !enabled),
    meta: { failure: 'common.saveFail' },
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksKey }),
  });
  const test = useMutation({ mutationFn: () => testWebhook(webhook.id), meta: { failure: 'webhook.testFail' } });

  return (
    <li className={css.card}>
      <div className={css.top}>
        <h3 className={css.name}>{name}</h3>
        <Chip tone={enabled ? 'ok' : 'off'} icon={enabled ? <CaretRightOutlined /> : <StopOutlined />}>
          {t(enabled ? 'webhook.on' : 'webhook.off')}
        </Chip>
      </div>
      <p className={css.url}>
        <code translate="no">{url}</code>
      </p>
      <p className={css.sub}>
        {webhook.events.map((event) => t(`webhook.event.${event}`)).join(', ')} ·{' '}
        {t(`webhook.levels.${webhook.alarmLevel}`)}
      </p>
      {oldSecretUntil ? (
        <p className={css.sub}>{t('webhook.oldSecret', { time: format.absolute(oldSecretUntil) })}</p>
      ) : null}
      {gone ? <Note tone="warn">{t('webhook.gone')}</Note> : null}
      <div className={css.actions}>
        <Button
          size="small"
          icon={<SendOutlined aria-hidden="true" />}
          loading={test.isPending}
          aria-label={`${t('webhook.test')}: ${name}`}
          onClick={() => test.mutate()}
        >
          {t('webhook.test')}
        </Button>
        <Button
          size="small"
          icon={enabled ? <StopOutlined aria-hidden="true" /> : <CaretRightOutlined aria-hidden="true" />}
          loading={toggle.isPending}
          aria-label={`${t(enabled ? 'webhook.switchOff' : 'webhook.switchOn')}: ${name}`}
          onClick={() => toggle.mutate()}
        >
          {t(enabled ? 'webhook.switchOff' : 'webhook.switchOn')}
        </Button>
        <span className={css.icons}>
          <IconButton
            label={`${t('webhook.edit')}: ${name}`}
            icon={<EditOutlined aria-hidden="true" />}
            aria-haspopup="dialog"
            onClick={onEdit}
          />
          <IconButton
            label={`${t('webhook.newSecret')}: ${name}`}
            icon={<KeyOutlined aria-hidden="true" />}
            aria-haspopup="dialog"
            onClick={() => onAsk('secret')}
          />
          <IconButton
            label={`${t('common.delete')}: ${name}`}
            icon={<DeleteOutlined aria-hidden="true" />}
            aria-haspopup="dialog"
            onClick={() => onAsk('delete')}
          />
        </span>
        <button
          type="button"
          className={`${css.more} ${open ? css.open : ''}`}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-label={`${t('webhook.deliveries')}: ${name}`}
          onClick={() => setOpen(!open)}
        >
          {t('webhook.deliveries')}
          <DownOutlined aria-hidden="true" />
        </button>
      </div>
      <div role="status">{test.data ? <Outcome outcome={test.data} /> : null}</div>
      {open ? <Deliveries id={id} of={webhook.id} /> : null}
    </li>
  );
}
