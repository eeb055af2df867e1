import AlertFilled from '@ant-design/icons/AlertFilled';
import AlertOutlined from '@ant-design/icons/AlertOutlined';
import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import InfoCircleOutlined from '@ant-design/icons/InfoCircleOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import type { ReactNode } from 'react';
import { Chip } from '@/ui/Chip';
import { Bar } from '../Bar';
import { Panel } from '../Panel';
import { SampleTable } from '../SampleTable';
import css from './ArabicDashboard.module.css';
import { DayChart } from './DayChart';
import {
  alarms,
  irrigation,
  type Level,
  number,
  percent,
  type Row,
  rows,
  type StatisticName,
  statistics,
  words,
} from './sample';

const statisticIcons: Record<StatisticName, ReactNode> = {
  devices: <DeploymentUnitOutlined />,
  online: <CheckCircleOutlined />,
  alarms: <AlertOutlined />,
  offline: <DisconnectOutlined />,
};

const levels: Record<Level, { level: 0 | 1 | 2; icon: ReactNode }> = {
  serious: { level: 2, icon: <AlertFilled /> },
  important: { level: 1, icon: <WarningOutlined /> },
  general: { level: 0, icon: <InfoCircleOutlined /> },
};

export function ArabicDashboard() {
  return (
    <div className={css.dashboard}>
      <header>
        <p className={css.farm}>{words.farm}</p>
        <p className={css.day}>{words.day}</p>
      </header>
      <section className={css.strip} aria-label={words.overview}>
        {statistics.map(({ name, title, value, note }) => (
          <dl key={name} className={css.statistic}>
            <dt className={css.name}>
              <span aria-hidden="true">{statisticIcons[name]}</span>
              {title}
            </dt>
            <dd className={css.value}>{number(value)}</dd>
            <dd className={css.note}>{note}</dd>
          </dl>
        ))}
      </section>
      <div className={css.columns}>
        <DayChart />
        <div className={css.side}>
          <Alarms />
          <Irrigation />
        </div>
      </div>
      <Panel title={words.readings} flush>
        <SampleTable<Row>
          rows={rows}
          rowKey={({ device }) => device}
          columns={[
            { key: 'device', title: words.device, cell: ({ device }) => device },
            { key: 'place', title: words.place, cell: ({ place }) => place },
            { key: 'contact', title: words.contact, cell: ({ contact }) => contact },
            { key: 'state', title: words.state, cell: ({ online }) => <State online={online} /> },
            { key: 'reading', title: words.reading, figure: true, cell: ({ reading }) => <b>{reading}</b> },
          ]}
        />
      </Panel>
    </div>
  );
}

function Alarms() {
  return (
    <Panel title={words.alarms} flush>
      <ul>
        {alarms.map(({ title, where, when, level, word }) => (
          <li key={title} className={css.alarm}>
            <div>
              <p className={css.title}>{title}</p>
              <p className={css.note}>
                {where} · {when}
              </p>
            </div>
            <Chip tone="level" {...levels[level]}>
              {word}
            </Chip>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Irrigation() {
  return (
    <Panel title={words.irrigation}>
      <ul className={css.irrigation}>
        {irrigation.map(({ place, share }) => (
          <li key={place}>
            <span className={css.share}>
              {place}
              <b>{percent(share)}</b>
            </span>
            <Bar share={share} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function State({ online }: { online: boolean }) {
  return online ? (
    <Chip tone="ok" icon={<CheckCircleFilled />}>
      {words.online}
    </Chip>
  ) : (
    <Chip tone="off" icon={<DisconnectOutlined />}>
      {words.offline}
    </Chip>
  );
}
