import { Pagination } from 'antd';
import { type AriaAttributes, cloneElement, isValidElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { pageSizes } from '@/lib/http/paging';
import css from './Pager.module.css';
import { Select } from './Select';

interface PagerProps {
  total: number;
  pageNo: number;
  pageSize: number;
  /**
   * For a narrow column: fewer and smaller numbers, below the elements that are beside them
   * elsewhere.
   */
  compact?: boolean;
  onChange: (pageNo: number, pageSize: number) => void;
}

/** The position in a long list, and its navigation. Muted while there is a single page. */
export function Pager({ total, pageNo, pageSize, compact = false, onChange }: PagerProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const format = useFormat();
  const single = total <= pageSize;
  const range = {
    from: format.number((pageNo - 1) * pageSize + 1),
    to: format.number(Math.min(pageNo * pageSize, total)),
    total: format.number(total),
  };
  // Without labels, an arrow's name would be that of its English icon, and the current page would
  // only be visible.
  const itemOf = (drawn: ReactNode, type: string, current: boolean) => {
    if (!isValidElement<AriaAttributes>(drawn)) return drawn;
    // Its item has the name.
    if (type.startsWith('jump')) return cloneElement(drawn, { 'aria-hidden': true });
    if (type === 'prev' || type === 'next') return cloneElement(drawn, { 'aria-label': t(`pager.${type}`) });
    return type === 'page' && current ? cloneElement(drawn, { 'aria-current': 'page' }) : drawn;
  };
  return (
    <nav
      className={`${css.pager} ${compact ? css.compact : ''} ${single ? css.single : ''}`}
      aria-label={t('pager.pages')}
      data-single={single || undefined}
    >
      <span className={css.range}>{total === 0 ? null : t('pager.range', range)}</span>
      <Pagination
        total={total}
        current={pageNo}
        pageSize={pageSize}
        onChange={(no) => onChange(no, pageSize)}
        showSizeChanger={false}
        showLessItems={isPhone || compact}
        size={compact && !isPhone ? 'small' : undefined}
        hideOnSinglePage={false}
        itemRender={(no, type, drawn) => itemOf(drawn, type, no === pageNo)}
      />
      <Select
        className={css.size}
        aria-label={t('pager.size')}
        value={pageSize}
        onChange={(event) => onChange(1, Number(event.target.value))}
      >
        {pageSizes.map((n) => (
          <option key={n} value={n}>
            {t('pager.perPage', { n })}
          </option>
        ))}
      </Select>
    </nav>
  );
}
