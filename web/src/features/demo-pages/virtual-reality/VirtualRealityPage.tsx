import ArrowLeftOutlined from '@ant-design/icons/ArrowLeftOutlined';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PageTitle } from '@/ui/PageTitle';
import { DemoBanner } from '../DemoBanner';
import { Landscape } from './Landscape';
import { Spots } from './Spots';
import css from './VirtualRealityPage.module.css';

/**
 * A demo page without menu, header and footer: a drawn landscape in which the user looks around.
 */
export function VirtualRealityPage() {
  const { t } = useTranslation();
  const [look, setLook] = useState(50);
  return (
    <main className={css.page} style={{ '--look': look / 100 } as CSSProperties}>
      <div className={css.stage}>
        <Landscape />
        <Spots />
      </div>
      <div className={css.plate}>
        <div className={css.head}>
          <Link to="/dashboard-default" className={css.back} aria-label={t('common.home')} title={t('common.home')}>
            <ArrowLeftOutlined aria-hidden="true" />
          </Link>
          <PageTitle title={t('demo.reality.title')} />
        </div>
        <DemoBanner />
      </div>
      <label className={css.look}>
        {t('demo.reality.look')}
        <input type="range" min={0} max={100} value={look} onChange={(event) => setLook(event.target.valueAsNumber)} />
      </label>
    </main>
  );
}
