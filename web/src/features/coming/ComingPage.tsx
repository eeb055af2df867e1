import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui/Empty';
import { HomeLink } from '@/ui/HomeLink';
import { PageTitle } from '@/ui/PageTitle';
import css from './ComingPage.module.css';

/** The pages that are still to come; what each will be is said in the texts. */
export type ComingName =
  | 'data'
  | 'device'
  | 'alarm'
  | 'inform'
  | 'channel'
  | 'profile'
  | 'message'
  | 'billing'
  | 'virtualReality'
  | 'rtl'
  | 'signup';

function useWords(name: ComingName): { title: string; what: string } {
  const { t } = useTranslation();
  switch (name) {
    case 'billing':
    case 'virtualReality':
    case 'rtl':
    case 'signup':
      return { title: t(`coming.page.${name}`), what: t('coming.what.demo') };
    default:
      return { title: t(`nav.${name}`), what: t(`coming.what.${name}`) };
  }
}

/** Says honestly that a page is not there yet, and what it will be. */
export function ComingPage({ name }: { name: ComingName }) {
  const { t } = useTranslation();
  const { title, what } = useWords(name);
  return (
    <>
      <PageTitle title={title} />
      <div className={css.page}>
        <Empty title={t('coming.title')} text={what} action={<HomeLink />} />
      </div>
    </>
  );
}
