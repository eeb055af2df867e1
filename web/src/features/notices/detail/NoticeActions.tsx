import CheckOutlined from '@ant-design/icons/CheckOutlined';
import ToolOutlined from '@ant-design/icons/ToolOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { userQuery } from '@/lib/http/queries';
import { lazyComponent } from '@/ui/lazyComponent';
import type { AlarmDetail } from '../queries';
import { AckBlock } from './AckBlock';
import css from './NoticeActions.module.css';
import { SolveForm } from './SolveForm';
import type { AckTarget } from './TakeBackDialog';

const AckDialog = lazyComponent(() => import('@/ui/alarm/AckDialog'), 'AckDialog');
const SolveDialog = lazyComponent(() => import('./SolveDialog'), 'SolveDialog');
const TakeBackDialog = lazyComponent(() => import('./TakeBackDialog'), 'TakeBackDialog');

/**
 * The acknowledgement and the actions: acknowledge, take that back, and end the notice manually:
 * while its conditions hold, a dialog says so first.
 * Any user may acknowledge an open notice.
 */
export function NoticeActions({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const [solving, setSolving] = useState<boolean>();
  const [acking, setAcking] = useState<boolean>();
  /** Text from the dialog that ends the notice, which becomes the note's initial text. */
  const [typed, setTyped] = useState('');
  const [takeBackTarget, setTakeBackTarget] = useState<AckTarget | null>();
  const { id, title, resolveStatus, mayResolve, holds, ack } = detail.alarmNotice;
  const open = resolveStatus === 0;
  const isOver = mayResolve && holds === false;
  const { data: user } = useQuery(userQuery());
  // Compared by name alone, since it only determines the note's initial text.
  const isOwnAck = ack !== undefined && ack.user === (user?.nickname || user?.userName);
  const acknowledge = (words = '') => {
    setTyped(words);
    setAcking(true);
  };
  return (
    <>
      {open && ack ? (
        <AckBlock ack={ack} onChange={() => acknowledge()} onTakeBack={() => setTakeBackTarget({ id, name: title })} />
      ) : null}
      {(open && !ack) || (mayResolve && !isOver) ? (
        <div className={css.acts}>
          {open && !ack ? (
            <Button
              type={isOver ? 'default' : 'primary'}
              icon={<ToolOutlined aria-hidden="true" />}
              aria-haspopup="dialog"
              onClick={() => acknowledge()}
            >
              {t('inform.ack.button')}
            </Button>
          ) : null}
          {mayResolve && !isOver ? (
            <Button icon={<CheckOutlined aria-hidden="true" />} aria-haspopup="dialog" onClick={() => setSolving(true)}>
              {t('inform.solve.button')}
            </Button>
          ) : null}
        </div>
      ) : null}
      {isOver ? <SolveForm key={id} detail={detail} /> : null}
      {solving === undefined ? null : (
        <SolveDialog detail={detail} open={solving} onClose={() => setSolving(false)} onAcknowledge={acknowledge} />
      )}
      {acking === undefined ? null : (
        <AckDialog
          id={id}
          name={title}
          open={acking}
          other={isOwnAck ? undefined : ack}
          note={typed || (isOwnAck ? ack.note : '')}
          onClose={() => setAcking(false)}
        />
      )}
      {takeBackTarget === undefined ? null : (
        <TakeBackDialog
          target={takeBackTarget}
          onClose={() => setTakeBackTarget(null)}
          onClosed={() => setTakeBackTarget(undefined)}
        />
      )}
    </>
  );
}
