import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { type Channel, channelQuery } from '@/lib/channel/queries';
import { toast } from '@/lib/feedback/feedback';
import { Sheet } from '@/ui/Sheet';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { ChannelSheet } from './form/ChannelSheet';
import type { ChannelSearch } from './search';
import type { ChannelTests } from './test/useTests';

interface ChannelFormHostProps {
  wanted: NonNullable<ChannelSearch['channel']>;
  beside: boolean;
  tests: ChannelTests;
  /** The channel has just been deleted, so the form discards unsaved input. */
  isDeleted: boolean;
  onClose: () => void;
  onDelete: (channel: Channel) => void;
}

/** The form of a new channel or of the channel that the address names. */
export function ChannelFormHost({ wanted, ...sheetProps }: ChannelFormHostProps) {
  return wanted === 'new' ? (
    <ChannelSheet key="new" channel={null} {...sheetProps} />
  ) : (
    <Fetched key={wanted} id={wanted} {...sheetProps} />
  );
}

function Fetched({ id, ...sheetProps }: Omit<ChannelFormHostProps, 'wanted'> & { id: number }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({ ...channelQuery(id), meta: { failure: 'channel.form.loadFailed' } });
  const { onClose } = sheetProps;

  // The channel was deleted since the address was made, belongs to another tenant, or could not be
  // fetched.
  const isMissing = data === null && !sheetProps.isDeleted;
  const failed = error !== null && data === undefined && !sheetProps.isDeleted;
  useEffect(() => {
    if (isMissing) toast.warning(t('channel.form.gone'));
    if (isMissing || failed) onClose();
  }, [isMissing, failed, onClose, t]);

  return data ? (
    <ChannelSheet channel={data} {...sheetProps} />
  ) : (
    <Sheet title={t('common.loading')} beside={sheetProps.beside} onClose={onClose}>
      <Loading>
        <Skeleton height={220} />
      </Loading>
    </Sheet>
  );
}
