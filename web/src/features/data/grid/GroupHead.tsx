import DownOutlined from '@ant-design/icons/DownOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Group } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { type Figures, figureName, figuresOf } from './figures';
import css from './GroupHead.module.css';

interface GroupHeadProps {
  group: Group;
  /** How many of its devices are shown. */
  count: number;
  folded: boolean;
  onFold: (id: number) => void;
}

/** A group's name, how many of its devices are shown, and its figures; folds its cards. */
export const GroupHead = memo(function GroupHead({ group, count, folded, onFold }: GroupHeadProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const figures = useMemo(() => figuresOf(group), [group]);
  const name = group.id === 0 ? t('home.defaultGroup') : group.groupName;
  return (
    <header className={css.head}>
      <h3 className={css.heading}>
        <button type="button" className={css.fold} aria-expanded={!folded} onClick={() => onFold(group.id)}>
          <span aria-hidden="true" className={css.arrow}>
            {folded ? <RightOutlined /> : <DownOutlined />}
          </span>
          <span className={css.name} title={name}>
            {name}
          </span>
        </button>
      </h3>
      <span className={css.count} title={t('data.devices', { count, n: format.number(count) })}>
        {format.number(count)}
      </span>
      <ul className={css.figures} aria-label={t('data.group.figures')}>
        {figures.map((figure) => (
          <FigureText key={figure.productId} figure={figure} name={figureName(figure, figures)} />
        ))}
      </ul>
    </header>
  );
});

function FigureText({ figure, name }: { figure: Figures; name: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { unit, precision, devices, low, mean, high } = figure;
  const whole = (value: number) => format.reading({ value, unit, precision }, name);
  const number = (value: number) => format.number(value, precision);
  const words =
    devices === 1
      ? t('data.group.single', { name, value: whole(mean) })
      : t('data.group.words', { name, low: whole(low), mean: whole(mean), high: whole(high), count: devices });
  return (
    <li className={css.figure} title={words}>
      <span className="visually-hidden">{words}</span>
      <span aria-hidden="true" className={css.what}>
        {name}
      </span>
      <span aria-hidden="true" className={css.range}>
        {devices === 1 ? null : `${number(low)} – `}
        <b className={css.mean}>{devices === 1 ? whole(mean) : number(mean)}</b>
        {devices === 1 ? null : ` – ${whole(high)}`}
      </span>
    </li>
  );
}
