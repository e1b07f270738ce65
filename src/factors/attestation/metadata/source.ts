import type { SettingValues } from '#catalogue';
import { readPem } from '../pem.ts';
import type { settings as rows } from '../settings.ts';
import type { MetadataSource } from './metadata.ts';

type MdsSettings = Pick<SettingValues<typeof rows>, 'risk.mdsFile' | 'risk.mdsRootFile' | 'risk.mdsOctetsMax'>;

/** Whoever signs for the FIDO Alliance: the roots it uses sign for everybody. */
const host = 'mds.fidoalliance.org';

/** Where the metadata of a realm come from, or words for why that cannot be told. */
export async function mdsSource(settings: MdsSettings): Promise<MetadataSource | string> {
  const own = settings['risk.mdsRootFile'];
  const common = { file: settings['risk.mdsFile'], octetsMax: settings['risk.mdsOctetsMax'] };
  if (own === '') return { ...common, roots: await defaultRoots(), host };
  const roots = await readPem(own);
  return roots === undefined ? 'risk.mdsRootFile cannot be read' : { ...common, roots, host: undefined };
}

/** The roots that the library brings along; it is loaded with their first use. */
async function defaultRoots(): Promise<string> {
  const { SettingsService } = await import('@simplewebauthn/server');
  return SettingsService.getRootCertificates({ identifier: 'mds' }).join('\n');
}
