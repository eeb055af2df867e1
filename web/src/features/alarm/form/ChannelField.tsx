import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { type RefSelectProps, Select } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxChannels } from '@/lib/alarm/types';
import { useDeliveryReach } from '@/lib/channel/deliveryReach';
import { kindsOf } from '@/lib/channel/kinds';
import { channelPageQuery, channelsByIdQuery } from '@/lib/channel/queries';
import { useFormat } from '@/lib/format/format';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { errorText } from '@/lib/http/errorText';
import { ChannelKindIcons } from '@/ui/channel/channelKinds';
import { Field } from '@/ui/form/Field';
import { tabLeavesField } from '@/ui/form/tabLeavesField';
import { IconButton } from '@/ui/IconButton';
import { Note } from '@/ui/Note';
import css from './fields.module.css';
import { NewChannelDialog } from './NewChannelDialog';

interface ChannelFieldProps {
  /** Ids of notification channels. */
  value: readonly number[];
  onChange: (channels: number[]) => void;
  error: string | undefined;
}

const maxOffered = 100;

/**
 * The channels through which people are notified. The field offers the first hundred; the server
 * searches through all others; a new channel can be created in a dialog.
 */
export function ChannelField({ value, onChange, error }: ChannelFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  /** The form of a new channel; it stays mounted until its closing animation has ended. */
  const [making, setMaking] = useState<'open' | 'closing' | null>(null);
  const select = useRef<RefSelectProps>(null);
  /**
   * The dialog returns the focus to the button beside the field; this flag moves it on to the field
   * itself.
   */
  const toField = useRef(false);
  const asked = useDebouncedText(text.trim());
  const page = useQuery(channelPageQuery({ noticeName: asked || undefined, pageNo: 1, pageSize: maxOffered }));
  const known = useQuery({ ...channelsByIdQuery(), enabled: value.length > 0 }).data;

  const offered = page.data?.list ?? [];
  const total = page.data?.total ?? 0;
  const options = offered.map((channel) => ({
    value: channel.id,
    label: channel.noticeName,
    modes: kindsOf(channel),
  }));
  for (const id of value) {
    if (options.some((option) => option.value === id)) continue;
    const channel = known?.get(id);
    options.push({ value: id, label: channel?.noticeName ?? String(id), modes: channel ? kindsOf(channel) : [] });
  }
  const reach = useDeliveryReach(value);
  const none = page.data?.total === 0 && asked === '';
  const full = value.length >= maxChannels;
  const make = (from: 'list' | 'button') => {
    toField.current = from === 'list';
    setOpen(false);
    setMaking('open');
  };
  return (
    <>
      <Field
        label={t('rule.form.tell')}
        error={error}
        hint={value.length === 0 ? t('rule.form.noChannelsHint') : undefined}
        below={
          <div role="status" className={css.reach}>
            {reach && reach !== 'out' ? <Note tone="warn">{t(`channel.reach.${reach}`)}</Note> : null}
          </div>
        }
        after={
          full ? null : (
            <IconButton
              label={t('channel.new')}
              icon={<PlusOutlined aria-hidden="true" />}
              onClick={() => make('button')}
            />
          )
        }
      >
        {({ status, ...labels }) => (
          <Select
            {...labels}
            ref={select}
            status={status}
            mode="multiple"
            className={css.device}
            value={[...value]}
            maxCount={maxChannels}
            placeholder={t(none ? 'rule.form.noChannels' : 'rule.form.tellPlaceholder')}
            onChange={(ids) => {
              setText('');
              onChange(ids);
            }}
            showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
            open={open}
            onInputKeyDown={tabLeavesField(() => setOpen(false))}
            onOpenChange={(next) => {
              setOpen(next);
              setText('');
            }}
            loading={page.isFetching}
            options={options}
            optionRender={({ label, data }) => (
              <span className={css.channel}>
                <span className={css.channelName}>{label}</span>
                <ChannelKindIcons of={data.modes} />
              </span>
            )}
            notFoundContent={
              page.isError ? (
                <span>{errorText(page.error)}</span>
              ) : page.isFetching ? (
                t('common.loading')
              ) : none ? (
                t('rule.form.noChannels')
              ) : (
                t('rule.form.noChannel', { text: text.trim() })
              )
            }
            popupRender={(list) => (
              <>
                {list}
                {total > maxOffered ? (
                  <p className={css.more}>
                    {t('rule.form.moreChannels', { n: format.number(maxOffered), all: format.number(total) })}
                  </p>
                ) : null}
                {full ? null : (
                  <button type="button" className={css.newChannel} onClick={() => make('list')}>
                    <PlusOutlined aria-hidden="true" />
                    {t('channel.new')}
                  </button>
                )}
              </>
            )}
          />
        )}
      </Field>
      {making ? (
        <NewChannelDialog
          open={making === 'open'}
          onMade={(id) => {
            onChange([...value, id]);
            toField.current = true;
            setMaking('closing');
          }}
          onClose={() => setMaking('closing')}
          onClosed={() => {
            setMaking(null);
            if (toField.current) select.current?.focus();
          }}
        />
      ) : null}
    </>
  );
}
