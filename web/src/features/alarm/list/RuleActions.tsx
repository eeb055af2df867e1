import CaretRightOutlined from '@ant-design/icons/CaretRightOutlined';
import EditOutlined from '@ant-design/icons/EditOutlined';
import EllipsisOutlined from '@ant-design/icons/EllipsisOutlined';
import EyeOutlined from '@ant-design/icons/EyeOutlined';
import PauseOutlined from '@ant-design/icons/PauseOutlined';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Dropdown } from 'antd';
import { createContext, type ReactNode, useContext, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/feedback/feedback';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import { useMay } from '@/lib/session/useMay';
import { IconButton } from '@/ui/IconButton';
import { lazyComponent } from '@/ui/lazyComponent';
import { refetchRules } from '../queries';
import css from './RuleActions.module.css';

const CopyDialog = lazyComponent(() => import('../actions/CopyDialog'), 'CopyDialog');
const MuteDialog = lazyComponent(() => import('../actions/MuteDialog'), 'MuteDialog');
const DeleteDialog = lazyComponent(() => import('../actions/DeleteDialog'), 'DeleteDialog');

type Action = 'copy' | 'mute' | 'delete';
const ActionContext = createContext<(action: Action, rule: AlarmRule) => void>(() => undefined);

/**
 * One dialog of each kind, shared by all rules: the actions on a rule besides editing and running
 * it.
 */
export function RuleActions({ children }: { children: ReactNode }) {
  const [pendingAction, setPendingAction] = useState<{ action: Action; rule: AlarmRule }>();
  // Once opened, a dialog stays mounted, so that its closing animation can run.
  const [openedDialogs, setOpenedDialogs] = useState<ReadonlySet<Action>>(new Set());
  const openDialog = (action: Action, rule: AlarmRule) => {
    setPendingAction({ action, rule });
    setOpenedDialogs((before) => new Set([...before, action]));
  };
  const of = (action: Action) => ({
    rule: pendingAction?.action === action ? pendingAction.rule : null,
    onClose: () => setPendingAction(undefined),
  });
  return (
    <ActionContext value={openDialog}>
      {children}
      {openedDialogs.has('copy') ? <CopyDialog {...of('copy')} /> : null}
      {openedDialogs.has('mute') ? <MuteDialog {...of('mute')} /> : null}
      {openedDialogs.has('delete') ? <DeleteDialog {...of('delete')} /> : null}
    </ActionContext>
  );
}

/** The buttons of a rule. Only Run or Stop has a frame. Viewers open it to rehearse it. */
export function RuleButtons({ rule, running }: { rule: AlarmRule; running: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const ask = useContext(ActionContext);
  const more = useRef<HTMLButtonElement>(null);
  const { id, alarmName: name } = rule;
  const mayChange = useMay('operator');

  const deployMutation = useMutation({
    mutationFn: () =>
      running
        ? api.get('/admin-api/client/pc/alarm-rules/unpublish', { query: { alarmRulesId: id } })
        : api.get('/admin-api/client/pc/alarm-rules/publish', { query: { alarmRulesId: id } }),
    meta: { failure: running ? 'rule.stopFail' : 'rule.runFail' },
    onSuccess: () => toast.success(t(running ? 'rule.stopOk' : 'rule.runOk', { name })),
    // The button stays busy until the refetched list shows the new state.
    onSettled: () => refetchRules(client),
  });
  const unmute = useMutation({
    mutationFn: () => api.put('/admin-api/client/pc/alarm-rules/mute', { body: { id, until: null } }),
    meta: { failure: 'rule.mute.fail' },
    onSuccess: () => toast.success(t('rule.mute.undone')),
    onSettled: () => refetchRules(client),
  });

  /** When the menu closes, the focus returns from it to its button. */
  const back = (open: boolean) => {
    if (!open && document.activeElement?.closest('[role=menu]')) more.current?.focus();
  };

  const muted = rule.muteUntil !== undefined && rule.muteUntil > now();
  const items = [
    { key: 'copy', label: t('rule.card.copy'), onClick: () => ask('copy', rule) },
    muted
      ? { key: 'unmute', label: t('rule.card.unmute'), onClick: () => unmute.mutate() }
      : { key: 'mute', label: t('rule.card.mute'), onClick: () => ask('mute', rule) },
    { key: 'delete', danger: true, label: t('common.delete'), onClick: () => ask('delete', rule) },
  ];
  const openWord = t(mayChange ? 'rule.card.edit' : 'rule.card.view');
  const openLink = (
    <Link
      from="/alarm"
      to="."
      search={(before) => ({ ...before, rule: id })}
      resetScroll={false}
      className={css.edit}
      aria-label={`${openWord}: ${name}`}
      title={openWord}
    >
      {mayChange ? <EditOutlined aria-hidden="true" /> : <EyeOutlined aria-hidden="true" />}
      <span className={css.word}>{openWord}</span>
    </Link>
  );
  if (!mayChange) return <div className={css.buttons}>{openLink}</div>;
  return (
    <div className={css.buttons}>
      <Dropdown menu={{ items }} autoFocus onOpenChange={back} trigger={['click']} placement="bottomRight">
        <IconButton
          ref={more}
          className={css.more}
          label={t('rule.card.more', { name })}
          aria-haspopup="menu"
          icon={<EllipsisOutlined aria-hidden="true" />}
        />
      </Dropdown>
      {openLink}
      <Button
        size="small"
        type={running ? 'default' : 'primary'}
        className={css.turn}
        icon={running ? <PauseOutlined aria-hidden="true" /> : <CaretRightOutlined aria-hidden="true" />}
        loading={deployMutation.isPending}
        onClick={() => deployMutation.mutate()}
        aria-label={`${t(running ? 'rule.card.stop' : 'rule.card.run')}: ${name}`}
      >
        {t(running ? 'rule.card.stop' : 'rule.card.run')}
      </Button>
    </div>
  );
}
