import CheckOutlined from '@ant-design/icons/CheckOutlined';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LevelTag, ResolveTag, UnsteadyTag } from '@/ui/alarm/tags';
import { later } from '@/ui/later';
import type { AlarmDetail } from '../queries';
import { Facts } from './Facts';
import css from './Head.module.css';

const SolveDialog = later(() => import('./SolveDialog'), 'SolveDialog');

/** What it is, how it stands, the four times, and the way to end it by hand. */
export function Head({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const [solving, setSolving] = useState<boolean>();
  const { id, title, resolveStatus, alarmLevel, alarmDesc, mayResolve, unsteady } = detail.alarmNotice;
  return (
    <header className={css.head}>
      <h2 className={css.title}>{title}</h2>
      <div className={css.tags}>
        <ResolveTag status={resolveStatus} />
        <LevelTag level={alarmLevel} />
        {unsteady ? <UnsteadyTag /> : null}
      </div>
      {alarmDesc ? <p className={css.text}>{alarmDesc}</p> : null}
      <Facts detail={detail} />
      {mayResolve ? (
        <Button className={css.solve} icon={<CheckOutlined aria-hidden="true" />} onClick={() => setSolving(true)}>
          {t('inform.solve.button')}
        </Button>
      ) : null}
      {solving === undefined ? null : (
        <SolveDialog id={id} name={title} open={solving} onClose={() => setSolving(false)} />
      )}
    </header>
  );
}
