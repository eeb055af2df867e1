import { Pagination } from 'antd';
import { useTranslation } from 'react-i18next';
import { phone, useMedia } from '@/lib/media';
import css from './Pager.module.css';
import { pageSizes } from './queries';

interface PagerProps {
  total: number;
  pageNo: number;
  pageSize: number;
  onChange: (pageNo: number, pageSize: number) => void;
}

export function Pager({ total, pageNo, pageSize, onChange }: PagerProps) {
  const { t } = useTranslation();
  const isPhone = useMedia(phone);
  const from = (pageNo - 1) * pageSize + 1;
  return (
    <nav className={css.pager} aria-label={t('app.pages')}>
      <span className={css.range}>{t('app.range', { from, to: Math.min(pageNo * pageSize, total), total })}</span>
      <Pagination
        total={total}
        current={pageNo}
        pageSize={pageSize}
        onChange={(no) => onChange(no, pageSize)}
        showSizeChanger={false}
        showLessItems={isPhone}
        hideOnSinglePage={false}
      />
      <select
        className={css.size}
        aria-label={t('app.pageSize')}
        value={pageSize}
        onChange={(event) => onChange(1, Number(event.target.value))}
      >
        {pageSizes.map((n) => (
          <option key={n} value={n}>
            {t('app.perPage', { n })}
          </option>
        ))}
      </select>
    </nav>
  );
}
