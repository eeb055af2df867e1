import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mostChannels } from '@/lib/alarm/types';
import { channelPageQuery, channelsByIdQuery } from '@/lib/channel/queries';
import { useReach } from '@/lib/channel/reach';
import { errorText } from '@/lib/errorText';
import { useFormat } from '@/lib/format/format';
import { useSettled } from '@/lib/useSettled';
import { ModeIcons } from '@/ui/channel/modes';
import { Field } from '@/ui/form/Field';
import css from './fields.module.css';

interface ChannelFieldProps {
  /** Ids of notification channels. */
  value: readonly number[];
  onChange: (channels: number[]) => void;
  error: string | undefined;
}

const mostOffered = 100;

/** Through which channels people are told: the first hundred to choose from, all others by searching on the server. */
export function ChannelField({ value, onChange, error }: ChannelFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [text, setText] = useState('');
  const asked = useSettled(text.trim());
  const page = useQuery({
    ...channelPageQuery({ noticeName: asked || undefined, pageNo: 1, pageSize: mostOffered }),
    // One may have been made meanwhile, in the tab that the link opens.
    refetchOnWindowFocus: 'always',
  });
  const known = useQuery({ ...channelsByIdQuery(), enabled: value.length > 0 }).data;

  const offered = page.data?.list ?? [];
  const total = page.data?.total ?? 0;
  const options = offered.map(({ id, noticeName, noticeMode }) => ({
    value: id,
    label: noticeName,
    modes: noticeMode,
  }));
  for (const id of value) {
    if (options.some((option) => option.value === id)) continue;
    const channel = known?.get(id);
    options.push({ value: id, label: channel?.noticeName ?? String(id), modes: channel?.noticeMode ?? [] });
  }
  const reach = useReach(value);
  const none = page.data?.total === 0 && asked === '';
  return (
    <Field
      label={t('rule.form.tell')}
      error={error}
      hint={
        value.length === 0
          ? t('rule.form.noChannelsHint')
          : reach && reach !== 'out'
            ? t(`channel.reach.${reach}`)
            : undefined
      }
    >
      {({ status, ...labels }) => (
        <Select
          {...labels}
          status={status}
          mode="multiple"
          className={css.device}
          value={[...value]}
          maxCount={mostChannels}
          placeholder={t(none ? 'rule.form.noChannels' : 'rule.form.tellPlaceholder')}
          onChange={(ids) => {
            setText('');
            onChange(ids);
          }}
          showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
          onOpenChange={() => setText('')}
          loading={page.isFetching}
          options={options}
          optionRender={({ label, data }) => (
            <span className={css.channel}>
              <span className={css.channelName}>{label}</span>
              <ModeIcons of={data.modes} />
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
              {total > mostOffered ? (
                <p className={css.more}>
                  {t('rule.form.moreChannels', { n: format.number(mostOffered), all: format.number(total) })}
                </p>
              ) : null}
              {/* In a tab of its own: the rule that is being written stays where it is. */}
              <a className={css.newChannel} href="/notification?channel=new" target="_blank" rel="noopener">
                <PlusOutlined aria-hidden="true" />
                {t('rule.form.newChannel')}
              </a>
            </>
          )}
        />
      )}
    </Field>
  );
}
