//! Images that are changed in a pod that lives: which containers end for it, and whether they have.

use k8s_openapi::api::core::v1 as core;

use super::names::ENDING;

/// Its images were changed, and a container of before is still what is reported. Where the image was changed back before
/// a kubelet saw it, that container stays.
pub(super) fn restarts(pod: &core::Pod) -> bool {
    let wanted = |name: &str| {
        let mut containers = pod.spec.iter().flat_map(|spec| &spec.containers);
        containers.find(|container| container.name == name).and_then(|container| container.image.as_deref())
    };
    let status = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    status.unwrap_or_default().iter().any(|container| {
        is_ending(pod, container.container_id.as_deref())
            && !wanted(&container.name).is_some_and(|wanted| is_image(&container.image, wanted))
    })
}

/// It was running when an image of it was changed.
pub(super) fn is_ending(pod: &core::Pod, id: Option<&str>) -> bool {
    let ending = pod.metadata.annotations.as_ref().and_then(|all| all.get(ENDING));
    let id = id.filter(|id| !id.is_empty());
    id.zip(ending).is_some_and(|(id, ending)| ending.split(',').any(|one| one == id))
}

/// Runtimes write the registry and the tag where a person leaves them out.
fn is_image(reported: &str, wanted: &str) -> bool {
    let is_plain = !wanted.rsplit('/').next().unwrap_or(wanted).contains([':', '@']);
    let wanted = if is_plain { format!("{wanted}:latest") } else { wanted.to_owned() };
    reported == wanted || reported.ends_with(&format!("/{wanted}"))
}

/// The containers, by their IDs, that end when these images are written, and those that were to end before and have not.
pub(super) fn ending(pod: &core::Pod, to: &core::PodTemplateSpec) -> String {
    let image = |spec: Option<&core::PodSpec>, name: &str| {
        let mut containers = spec.into_iter().flat_map(|spec| &spec.containers);
        containers.find(|container| container.name == name).and_then(|container| container.image.clone())
    };
    let status = pod.status.as_ref().and_then(|status| status.container_statuses.as_deref());
    let ends = |container: &core::ContainerStatus| is_ending(pod, container.container_id.as_deref());
    let changes = |container: &&core::ContainerStatus| {
        image(pod.spec.as_ref(), &container.name) != image(to.spec.as_ref(), &container.name)
            || ends(container)
    };
    let ending = status.unwrap_or_default().iter().filter(changes);
    let ids: Vec<_> = ending.filter_map(|container| container.container_id.as_deref()).collect();
    ids.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_containers_whose_image_changes_end() {
        let pod: core::Pod = serde_json::from_value(json!({"metadata": {"name": "a"},
            "spec": {"containers": [{"name": "db", "image": "a"}, {"name": "side", "image": "s"}]},
            "status": {"containerStatuses": [
                {"name": "db", "image": "", "imageID": "", "containerID": "c://db", "ready": true, "restartCount": 0},
                {"name": "side", "image": "", "imageID": "", "containerID": "c://s", "ready": true, "restartCount": 0}]}}))
        .unwrap();
        let to = |image: &str| {
            let spec = json!({"spec": {"containers": [{"name": "db", "image": image}, {"name": "side", "image": "s"}]}});
            serde_json::from_value(spec).unwrap()
        };
        assert_eq!((ending(&pod, &to("b")), ending(&pod, &to("a"))), ("c://db".into(), String::new()));
    }

    #[test]
    fn a_second_change_before_the_kubelet_acted_on_the_first_does_not_forget_who_ends() {
        let of = |ids: [&str; 2]| -> core::Pod {
            let status = |name: &str, id: &str| json!({"name": name, "image": "a:1", "imageID": "", "containerID": id, "ready": true, "restartCount": 0});
            serde_json::from_value(json!({"metadata": {"name": "a", "annotations": {ENDING: "c://db"}},
                "spec": {"containers": [{"name": "db", "image": "b:1"}, {"name": "side", "image": "a:1"}]},
                "status": {"containerStatuses": [status("db", ids[0]), status("side", ids[1])]}}))
            .unwrap()
        };
        let to = |side: &str| {
            let spec = json!({"spec": {"containers": [{"name": "db", "image": "b:1"}, {"name": "side", "image": side}]}});
            serde_json::from_value(spec).unwrap()
        };
        for (sentence, ids, side, expected) in [
            ("only a label is changed", ["c://db", "c://s"], "a:1", "c://db"),
            ("the other image is changed", ["c://db", "c://s"], "b:1", "c://db,c://s"),
            ("it has ended meanwhile", ["c://new", "c://s"], "b:1", "c://s"),
        ] {
            assert_eq!(ending(&of(ids), &to(side)), expected, "{sentence}");
        }
    }
}
