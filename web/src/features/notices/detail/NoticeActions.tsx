import CheckOutlined from '@ant-design/icons/CheckOutlined';
import ToolOutlined from '@ant-design/icons/ToolOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refuseOffline } from '@/lib/alarm/notSent';
import { userQuery } from '@/lib/http/queries';
import { useMay } from '@/lib/session/useMay';
import { lazyComponent } from '@/ui/lazyComponent';
import type { AlarmDetail } from '../queries';
import { useNoticesSearch } from '../useNoticesSearch';
import { AckBlock } from './AckBlock';
import css from './NoticeActions.module.css';
import type { AckTarget } from './TakeBackDialog';

const AckDialog = lazyComponent(() => import('@/ui/alarm/AckDialog'), 'AckDialog');
const SolveDialog = lazyComponent(() => import('./SolveDialog'), 'SolveDialog');
const TakeBackDialog = lazyComponent(() => import('./TakeBackDialog'), 'TakeBackDialog');

/**
 * The acknowledgement and the actions: acknowledge, take that back, and end the notice manually.
 * Any operator may acknowledge an open notice; a viewer reads who did.
 */
export function NoticeActions({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const [acking, setAcking] = useState<boolean>();
  /** Text from the dialog that ends the notice, which becomes the note's initial text. */
  const [typed, setTyped] = useState('');
  const [takeBackTarget, setTakeBackTarget] = useState<AckTarget | null>();
  const { id, title, resolveStatus, ack } = detail.alarmNotice;
  const mayAct = useMay('operator');
  const mayResolve = detail.alarmNotice.mayResolve && mayAct;
  const open = resolveStatus === 0;
  const mayAcknowledge = open && !ack && mayAct;
  const { search, closeSolve } = useNoticesSearch();
  const [solving, setSolving] = useState<boolean | undefined>(mayResolve && search.solve === 1 ? true : undefined);
  const stopSolving = () => {
    setSolving(false);
    if (search.solve === 1) closeSolve();
  };
  const { data: user } = useQuery(userQuery());
  // Compared by name alone, since it only determines the note's initial text.
  const isOwnAck = ack !== undefined && ack.user === (user?.nickname || user?.userName);
  /** Opens a dialog; without a network it only says that nothing is sent. */
  const ask = (openDialog: () => void) => {
    if (!refuseOffline(ack !== undefined)) openDialog();
  };
  const acknowledge = (words = '') =>
    ask(() => {
      setTyped(words);
      setAcking(true);
    });
  return (
    <>
      {open && ack ? (
        <AckBlock
          ack={ack}
          mayChange={mayAct}
          onChange={() => acknowledge()}
          onTakeBack={() => ask(() => setTakeBackTarget({ id, name: title }))}
        />
      ) : null}
      {mayAcknowledge || mayResolve ? (
        <div className={css.acts}>
          {mayAcknowledge ? (
            <Button
              type="primary"
              icon={<ToolOutlined aria-hidden="true" />}
              aria-haspopup="dialog"
              onClick={() => acknowledge()}
            >
              {t('inform.ack.button')}
            </Button>
          ) : null}
          {mayResolve ? (
            <Button
              icon={<CheckOutlined aria-hidden="true" />}
              aria-haspopup="dialog"
              onClick={() => ask(() => setSolving(true))}
            >
              {t('inform.solve.button')}
            </Button>
          ) : null}
        </div>
      ) : null}
      {solving === undefined ? null : (
        <SolveDialog detail={detail} open={solving} onClose={stopSolving} onAcknowledge={acknowledge} />
      )}
      {acking === undefined ? null : (
        <AckDialog
          id={id}
          name={title}
          open={acking}
          acknowledged={ack !== undefined}
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
