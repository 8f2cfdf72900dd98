"""Skills that were proposed: a person takes them over, or does not want them."""

from toryo.adapters.settings import Settings
from toryo.adapters.skillfiles import SkillFiles
from toryo.app.configuration import settings_of
from toryo.app.persons import only_a_person
from toryo.app.project import Project
from toryo.domain.learning import Skill


def skill_files(project: Project, settings: Settings | None = None) -> SkillFiles:
    known = settings or settings_of(project)
    return SkillFiles(project.place.root, known.skills)


def skill_proposals(project: Project) -> list[tuple[Skill, float]]:
    """Those that wait for a person, by name, each with when it was proposed; the configuration is not asked for it."""
    return SkillFiles(project.place.root, "").proposals()


def proposed_skill(project: Project, name: str) -> str:
    """Its name; raises ToryoError where none is proposed by that."""
    return SkillFiles(project.place.root, "").proposal(name).name


def accept_skill(project: Project, name: str) -> str:
    """Moves it to where agents look for skills; says where that is. Raises ToryoError where another is there."""
    only_a_person(project)
    return str(skill_files(project).accept(name))


def reject_skill(project: Project, name: str) -> None:
    """It is not proposed again."""
    only_a_person(project)
    skill_files(project).reject(name)
