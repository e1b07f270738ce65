export { actingSession, type Browser, openPeople, type People, type PeopleOptions, type Person } from './people.ts';
