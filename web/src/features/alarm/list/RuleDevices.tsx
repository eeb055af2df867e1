import AlertFilled from '@ant-design/icons/AlertFilled';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule, RuleDevice } from '@/lib/alarm/types';
import { nameOf } from '@/lib/device/types';
import { errorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { Since } from '@/ui/alarm/Since';
import { Dialog } from '@/ui/Dialog';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Pager } from '@/ui/Pager';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { ruleDevicesQuery } from '../queries';
import css from './RuleDevices.module.css';

interface RuleDevicesProps {
  rule: AlarmRule;
  open: boolean;
  onClose: () => void;
}

/**
 * The devices of a rule: first those with open alarms, then the others, then those that are left
 * out, each with the reason.
 */
export function RuleDevices({ rule, open, onClose }: RuleDevicesProps) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} title={t('rule.devices.title', { name: rule.alarmName })} onClose={onClose} width={560}>
      <List id={rule.id} />
    </Dialog>
  );
}

function List({ id }: { id: number }) {
  const { t } = useTranslation();
  const [{ pageNo, pageSize }, setPage] = useState({ pageNo: 1, pageSize: 10 });
  const language = useLanguage((state) => state.language);
  const devices = useQuery(ruleDevicesQuery(language, id, pageNo, pageSize));
  if (!devices.data) {
    return devices.isError ? (
      <ErrorNote
        title={t('rule.form.devicesFailed')}
        text={errorText(devices.error)}
        onRetry={() => void devices.refetch()}
        busy={devices.isFetching}
      />
    ) : (
      <Loading label={t('common.loading')}>
        <Skeleton height={44} />
        <Skeleton height={44} />
      </Loading>
    );
  }
  const { list, total } = devices.data;
  if (total === 0) return <Empty title={t('rule.card.noDevice')} text={t('rule.devices.none')} />;
  return (
    <>
      <ul className={css.list}>
        {list.map((device) => (
          <Row key={device.deviceName} device={device} />
        ))}
      </ul>
      {total > 10 ? (
        <Pager
          compact
          total={total}
          pageNo={pageNo}
          pageSize={pageSize}
          onChange={(no, size) => setPage({ pageNo: no, pageSize: size })}
        />
      ) : null}
    </>
  );
}

function Row({ device }: { device: RuleDevice }) {
  const { t } = useTranslation();
  const { deviceName, noteName, groupName, state, openNotice } = device;
  const place = groupName === '' ? t('home.defaultGroup') : groupName;
  return (
    <li className={css.row}>
      <span className={css.names}>
        <span className={css.name}>{nameOf({ deviceName, noteName })}</span>
        <span className={css.place}>{noteName === '' ? place : `${deviceName} · ${place}`}</span>
      </span>
      {openNotice ? (
        <Link to="/inform" search={{ id: openNotice.id }} className={css.open}>
          <AlertFilled aria-hidden="true" />
          <span className="visually-hidden">{t('rule.card.open')} </span>
          <Since known={openNotice} />
        </Link>
      ) : state === 'judged' ? null : (
        <span className={css.out}>{t(state === 'limit' ? 'rule.devices.limit' : 'rule.devices.misfit')}</span>
      )}
    </li>
  );
}
