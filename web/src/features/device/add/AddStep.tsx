import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { useMay, useMayAsk } from '@/lib/session/useMay';
import { ErrorNote } from '@/ui/ErrorNote';
import { SegmentedControl } from '@/ui/form/SegmentedControl';
import { Note } from '@/ui/Note';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { offerQuery } from '../queries';
import type { AddWay } from '../search';
import css from './AddDialog.module.css';
import type { AddForms } from './AddFooter';
import { ClaimWay } from './ClaimWay';
import { NewWay } from './NewWay';
import { TableWay } from './TableWay';

interface AddStepProps {
  id: string;
  way: AddWay;
  /** The ways that the provider allows. */
  ways: readonly AddWay[];
  forms: AddForms;
  onWay: (way: AddWay) => void;
  onOpenDevice: (deviceName: string) => void;
}

/** The choice of a way and its form; or why there is none. */
export function AddStep({ id, way, ways, forms, onWay, onOpenDevice }: AddStepProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const mayAdd = useMay('owner');
  const query = useQuery({ ...offerQuery(language), enabled: useMayAsk('owner') });
  const { data: offer } = query;
  // Who opens the address on a label may be anybody.
  if (!mayAdd) {
    return (
      <Note tone="info" title={t('device.add.notOwnerTitle')}>
        {t('device.add.notOwnerText')}
      </Note>
    );
  }
  if (!offer) {
    return query.isError ? (
      <ErrorNote
        title={t('device.detail.loadFail')}
        text={errorText(query.error)}
        onRetry={() => void query.refetch()}
        busy={query.isFetching}
      />
    ) : (
      <Loading>
        <Skeleton height={220} />
      </Loading>
    );
  }
  return (
    <div className={css.step}>
      {ways.length > 1 ? (
        <SegmentedControl
          className={css.ways}
          label={t('device.add.way')}
          value={way}
          options={ways.map((value) => ({ value, words: t(`device.add.${value}`) }))}
          onChange={onWay}
        />
      ) : null}
      {!ways.includes(way) ? (
        <Note tone="info" title={t('device.add.notOfferedTitle')}>
          {t('device.add.notOfferedText')}
        </Note>
      ) : way === 'new' ? (
        <NewWay id={id} offer={offer} adding={forms.fresh} onOpenDevice={onOpenDevice} />
      ) : way === 'code' ? (
        <ClaimWay id={id} claim={forms.claim} onOpenDevice={onOpenDevice} />
      ) : (
        <TableWay id={id} offer={offer} table={forms.table} />
      )}
    </div>
  );
}
