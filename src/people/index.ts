export { actingSession, type Browser, type Noted, openPeople, type People, type PeopleOptions, type Person } from './people.ts';
